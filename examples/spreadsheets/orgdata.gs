/**
 * All rows of a list, in a cell: =ORGDATA("/v1/members/?limit=100", "user_id,full_name,role")
 * A + before a column makes numbers of its amounts, which are texts.
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
      table.push(names.map((name) => valueOf(row, name)));
    }
    url = page.next;
  }
  return table;
}

function valueOf(row, name) {
  const keys = name.replace(/^\+/, "").split(".");
  const value = keys.reduce((inner, key) => (inner === null || inner === undefined ? inner : inner[key]), row);
  if (value === undefined) throw new Error(`There is no ${name}.`);
  return name[0] === "+" && value !== null ? Number(value) : value;
}
