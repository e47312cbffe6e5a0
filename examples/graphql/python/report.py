import os

from orgdata_graphql import Client

headers = {"X-SERVICE-API-KEY": os.environ["ORGDATA_TOKEN"], "X-Organization-Id": os.environ["ORGDATA_ORGANIZATION"]}
with Client(url=os.environ["ORGDATA_URL"] + "/graphql", headers=headers) as client:
    page = client.unpaid_payables().payables
    for payable in page.results if page is not None else []:
        print(payable.user.full_name, payable.period_start, payable.amount_due, payable.currency)
