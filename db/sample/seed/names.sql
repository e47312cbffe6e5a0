-- Names of applications, sites and pages, which usage references.
INSERT INTO apps (organization_id, id, name, category, productivity)
SELECT :organization_id, pg_temp.seed_id('app', n), 'App ' || n, 'Category ' || n % 7, pg_temp.seed_rating(n)
FROM generate_series(0, 59) n;

INSERT INTO domains (organization_id, id, name, category, productivity)
SELECT :organization_id, pg_temp.seed_id('domain', n), 'site' || n || '.example', 'Category ' || n % 7,
       pg_temp.seed_rating(n)
FROM generate_series(0, 299) n;

INSERT INTO url_pages (organization_id, id, domain_id, url, title)
SELECT :organization_id, pg_temp.seed_id('page', n), pg_temp.seed_id('domain', n / 10),
       'https://site' || n / 10 || '.example/pages/' || n % 10, 'Page ' || n % 10
FROM generate_series(0, 2999) n;
