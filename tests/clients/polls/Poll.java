// With the client of openapi-generator (java, over the JDK's HttpClient): prints the ids of the tasks that changed
// since a day.
import java.util.stream.Collectors;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.WorkApi;

public class Poll {
    public static void main(String[] arguments) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(arguments[0]);
        client.setRequestInterceptor(request -> request.header("X-SERVICE-API-KEY", arguments[1]));
        WorkApi.APIListTasksRequest request =
            WorkApi.APIListTasksRequest.newBuilder().updatedSince(arguments[2]).limit(100).build();
        System.out.println(new WorkApi(client).listTasks(request).getResults().stream()
            .map(task -> task.getId().toString()).collect(Collectors.joining(" ")));
    }
}
