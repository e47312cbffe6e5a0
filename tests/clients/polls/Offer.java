// The JDK's HttpClient as it is by default: it offers HTTP/2 with each request. Prints the status of each response.
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

public class Offer {
    static final HttpClient CLIENT = HttpClient.newHttpClient();

    static void show(String name, HttpRequest.Builder request) throws Exception {
        request.header("Content-Type", "application/json").header("Accept", "application/json, text/event-stream");
        System.out.println(name + " " + CLIENT.send(request.build(), BodyHandlers.ofString()).statusCode());
    }

    public static void main(String[] arguments) throws Exception {
        String publicAddress = arguments[0], internal = arguments[1], key = arguments[2], token = arguments[3];
        HttpRequest.Builder list = HttpRequest.newBuilder(URI.create(publicAddress + "/v1/teams/"));
        show("list", list.header("X-SERVICE-API-KEY", key));
        for (HttpRequest.BodyPublisher body : new HttpRequest.BodyPublisher[] {
            HttpRequest.BodyPublishers.ofString("{\"query\": \"{ organization { name } }\"}"),
            // Without a length: sent in chunks.
            HttpRequest.BodyPublishers.fromPublisher(
                HttpRequest.BodyPublishers.ofString("{\"query\": \"{ organization { name } }\"}"))
        }) {
            HttpRequest.Builder query = HttpRequest.newBuilder(URI.create(internal + "/graphql")).POST(body);
            show("graphql", query.header("X-SERVICE-API-KEY", token).header("X-Organization-Id", arguments[4]));
        }
        String message = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/list\"}";
        HttpRequest.Builder tools = HttpRequest.newBuilder(URI.create(internal + "/mcp"))
            .POST(HttpRequest.BodyPublishers.ofString(message)).expectContinue(true);
        show("mcp", tools.header("X-SERVICE-API-KEY", key));
    }
}
