/**
 * All rows of a list, in a cell: =ORGDATA("/v1/members/?limit=100", "user_id,full_name,role")
 * @customfunction
 */
function ORGDATA(path, columns) {
  const properties = PropertiesService.getScriptProperties();
  const headers = { "X-SERVICE-API-KEY": properties.getProperty("ORGDATA_KEY") };
  const names = columns.split(",");
  const table = [names];
  let url = properties.getProperty("ORGDATA_URL") + path;
  while (url) {
    const page = JSON.parse(UrlFetchApp.fetch(url, { headers, muteHttpExceptions: true }).getContentText());
    if (page.error) throw new Error(page.error.message);
    for (const row of page.results) {
      table.push(names.map((name) => name.split(".").reduce((value, key) => (value === null ? null : value[key]), row)));
    }
    url = page.next;
  }
  return table;
}
