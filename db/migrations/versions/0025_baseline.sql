-- The baseline: what the revisions 0001 to 0024 made, one table after the other.
--
-- It is frozen: what changes later is a revision of its own. The roles exist before (`db/admin/roles.py`); afterwards
-- `orgdata migrate` brings functions, triggers, comments, rights and reference lists to the state of the declarations.

-- Functions that policies and triggers call

CREATE FUNCTION public.organization_not_set() RETURNS uuid
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 0.01 AS $$
BEGIN
  -- Where tables are distributed, an INSERT calls the function although coalesce() does not need its value.
  IF current_setting('app.organization_id', true) <> '' THEN
    RETURN current_setting('app.organization_id');
  END IF;
  RAISE 'No organization is set: run SELECT set_organization(''ID'') first, in the same transaction.'
    USING ERRCODE = 'object_not_in_prerequisite_state',
          HINT = 'For a whole session: SET app.organization_id = ''ID''. The owner of the tables sees the ids in the'
                 || ' table organizations.';
END $$;

CREATE FUNCTION public.set_organization(id uuid) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('app.organization_id', id::text, true);
  RETURN (SELECT name FROM public.organizations WHERE organization_id = id);
END $$;

CREATE FUNCTION public.set_updated_at() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  NEW.updated_at := greatest(statement_timestamp(), OLD.updated_at + interval '1 microsecond');
  RETURN NEW;
END $$;

CREATE FUNCTION public.remember_place() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  first timestamptz;
  last timestamptz;
BEGIN
  -- The arguments are the columns of the start.
  SELECT min(at), max(at) INTO first, last
  FROM (SELECT (to_jsonb(OLD) ->> name)::timestamptz AS at FROM unnest(TG_ARGV) AS name) AS starts;
  NEW.earlier_from := least(OLD.earlier_from, first);
  NEW.earlier_until := greatest(OLD.earlier_until, last);
  IF NEW.user_id <> OLD.user_id AND OLD.user_id <> ALL (coalesce(OLD.earlier_user_ids, '{}')) THEN
    NEW.earlier_user_ids := OLD.earlier_user_ids || OLD.user_id;
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION public.remember_membership() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.first_joined_at IS NOT NULL AND OLD.deleted_at IS NULL THEN
    NEW.earlier_removed_at := CASE
      WHEN OLD.removed_at IS NULL OR (OLD.earlier_joined_at IS NOT NULL AND OLD.earlier_removed_at IS NULL) THEN NULL
      ELSE greatest(OLD.earlier_removed_at, OLD.removed_at) END;
    NEW.earlier_joined_at := least(OLD.earlier_joined_at, OLD.first_joined_at);
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION public.remember_report_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  -- The same time as in set_updated_at.
  NEW.report_changed_at := greatest(statement_timestamp(), OLD.updated_at + interval '1 microsecond');
  RETURN NEW;
END $$;

CREATE FUNCTION public.refuse_move() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  -- The arguments are the immovable columns.
  RAISE USING
    MESSAGE = array_to_string(TG_ARGV, ' and ') || ' of a row of ' || TG_TABLE_NAME
              || ' cannot change: set deleted_at, and insert a row with the new values.',
    ERRCODE = 'integrity_constraint_violation',
    HINT = 'Clients that poll with updated_since see the deletion in the one place, and the new row in the other.';
END $$;

CREATE FUNCTION public.set_join_times() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.joined_at IS NULL AND NEW.status IN ('active', 'suspended') THEN
    NEW.joined_at := coalesce(
      NEW.first_joined_at,
      date_trunc('second', CASE TG_OP WHEN 'INSERT' THEN NEW.created_at ELSE statement_timestamp() END));
  END IF;
  NEW.first_joined_at := least(NEW.first_joined_at, NEW.joined_at);
  RETURN NEW;
END $$;

CREATE FUNCTION public.organizations_of_token(
  token text, search text, after uuid, page_size int, OUT organization_id uuid, OUT name text, OUT status text,
  OUT total int
) RETURNS SETOF record
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  covered uuid[];
  is_valid bool;
  after_name text;
BEGIN
  SELECT k.organization_ids, true INTO covered, is_valid FROM public.api_keys k
  WHERE k.public_id = token AND k.purpose = 'internal' AND k.revoked_at IS NULL AND k.expires_at > now();
  IF is_valid IS NULL THEN
    RETURN;
  END IF;
  -- An id that the token does not cover is found nowhere, so that no position in the order shows its name.
  SELECT lower(o.name) INTO after_name FROM public.organizations o
  WHERE o.organization_id = after AND (covered IS NULL OR o.organization_id = ANY (covered));
  RETURN QUERY
  SELECT o.organization_id, o.name, o.status, o.total
  FROM (SELECT found.*, count(*) OVER ()::int AS total
        FROM public.organizations found
        WHERE found.deleted_at IS NULL AND (covered IS NULL OR found.organization_id = ANY (covered))
          AND (search IS NULL OR found.organization_id::text = lower(search)
               OR strpos(lower(found.name), lower(search)) > 0)) o
  WHERE after IS NULL OR (lower(o.name), o.organization_id) > (after_name, after)
  ORDER BY lower(o.name), o.organization_id
  LIMIT page_size;
END $$;

REVOKE EXECUTE ON FUNCTION public.organizations_of_token(text, text, uuid, int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION public.organizations_of_token(text, text, uuid, int) TO orgdata_service;

GRANT USAGE ON SCHEMA public TO orgdata_service, orgdata_writer;

-- time_zones

CREATE TABLE time_zones (
  name text NOT NULL,
  CONSTRAINT time_zones_pkey PRIMARY KEY (name)
);

GRANT SELECT ON time_zones TO orgdata_service, orgdata_writer;

COMMENT ON TABLE time_zones IS 'Time zones that rows may name. Filled by `orgdata migrate`, the same for all organizations.';
COMMENT ON COLUMN time_zones.name IS 'IANA name, such as Europe/Berlin.';

INSERT INTO time_zones (name) SELECT regexp_split_to_table(
  'Africa/Abidjan Africa/Accra Africa/Addis_Ababa Africa/Algiers Africa/Asmara Africa/Asmera Africa/Bamako
   Africa/Bangui Africa/Banjul Africa/Bissau Africa/Blantyre Africa/Brazzaville Africa/Bujumbura Africa/Cairo
   Africa/Casablanca Africa/Ceuta Africa/Conakry Africa/Dakar Africa/Dar_es_Salaam Africa/Djibouti Africa/Douala
   Africa/El_Aaiun Africa/Freetown Africa/Gaborone Africa/Harare Africa/Johannesburg Africa/Juba Africa/Kampala
   Africa/Khartoum Africa/Kigali Africa/Kinshasa Africa/Lagos Africa/Libreville Africa/Lome Africa/Luanda
   Africa/Lubumbashi Africa/Lusaka Africa/Malabo Africa/Maputo Africa/Maseru Africa/Mbabane Africa/Mogadishu
   Africa/Monrovia Africa/Nairobi Africa/Ndjamena Africa/Niamey Africa/Nouakchott Africa/Ouagadougou
   Africa/Porto-Novo Africa/Sao_Tome Africa/Timbuktu Africa/Tripoli Africa/Tunis Africa/Windhoek America/Adak
   America/Anchorage America/Anguilla America/Antigua America/Araguaina America/Argentina/Buenos_Aires
   America/Argentina/Catamarca America/Argentina/ComodRivadavia America/Argentina/Cordoba America/Argentina/Jujuy
   America/Argentina/La_Rioja America/Argentina/Mendoza America/Argentina/Rio_Gallegos America/Argentina/Salta
   America/Argentina/San_Juan America/Argentina/San_Luis America/Argentina/Tucuman America/Argentina/Ushuaia
   America/Aruba America/Asuncion America/Atikokan America/Atka America/Bahia America/Bahia_Banderas
   America/Barbados America/Belem America/Belize America/Blanc-Sablon America/Boa_Vista America/Bogota America/Boise
   America/Buenos_Aires America/Cambridge_Bay America/Campo_Grande America/Cancun America/Caracas America/Catamarca
   America/Cayenne America/Cayman America/Chicago America/Chihuahua America/Ciudad_Juarez America/Coral_Harbour
   America/Cordoba America/Costa_Rica America/Coyhaique America/Creston America/Cuiaba America/Curacao
   America/Danmarkshavn America/Dawson America/Dawson_Creek America/Denver America/Detroit America/Dominica
   America/Edmonton America/Eirunepe America/El_Salvador America/Ensenada America/Fort_Nelson America/Fort_Wayne
   America/Fortaleza America/Glace_Bay America/Godthab America/Goose_Bay America/Grand_Turk America/Grenada
   America/Guadeloupe America/Guatemala America/Guayaquil America/Guyana America/Halifax America/Havana
   America/Hermosillo America/Indiana/Indianapolis America/Indiana/Knox America/Indiana/Marengo
   America/Indiana/Petersburg America/Indiana/Tell_City America/Indiana/Vevay America/Indiana/Vincennes
   America/Indiana/Winamac America/Indianapolis America/Inuvik America/Iqaluit America/Jamaica America/Jujuy
   America/Juneau America/Kentucky/Louisville America/Kentucky/Monticello America/Knox_IN America/Kralendijk
   America/La_Paz America/Lima America/Los_Angeles America/Louisville America/Lower_Princes America/Maceio
   America/Managua America/Manaus America/Marigot America/Martinique America/Matamoros America/Mazatlan
   America/Mendoza America/Menominee America/Merida America/Metlakatla America/Mexico_City America/Miquelon
   America/Moncton America/Monterrey America/Montevideo America/Montreal America/Montserrat America/Nassau
   America/New_York America/Nipigon America/Nome America/Noronha America/North_Dakota/Beulah
   America/North_Dakota/Center America/North_Dakota/New_Salem America/Nuuk America/Ojinaga America/Panama
   America/Pangnirtung America/Paramaribo America/Phoenix America/Port-au-Prince America/Port_of_Spain
   America/Porto_Acre America/Porto_Velho America/Puerto_Rico America/Punta_Arenas America/Rainy_River
   America/Rankin_Inlet America/Recife America/Regina America/Resolute America/Rio_Branco America/Rosario
   America/Santa_Isabel America/Santarem America/Santiago America/Santo_Domingo America/Sao_Paulo
   America/Scoresbysund America/Shiprock America/Sitka America/St_Barthelemy America/St_Johns America/St_Kitts
   America/St_Lucia America/St_Thomas America/St_Vincent America/Swift_Current America/Tegucigalpa America/Thule
   America/Thunder_Bay America/Tijuana America/Toronto America/Tortola America/Vancouver America/Virgin
   America/Whitehorse America/Winnipeg America/Yakutat America/Yellowknife Antarctica/Casey Antarctica/Davis
   Antarctica/DumontDUrville Antarctica/Macquarie Antarctica/Mawson Antarctica/McMurdo Antarctica/Palmer
   Antarctica/Rothera Antarctica/South_Pole Antarctica/Syowa Antarctica/Troll Antarctica/Vostok Arctic/Longyearbyen
   Asia/Aden Asia/Almaty Asia/Amman Asia/Anadyr Asia/Aqtau Asia/Aqtobe Asia/Ashgabat Asia/Ashkhabad Asia/Atyrau
   Asia/Baghdad Asia/Bahrain Asia/Baku Asia/Bangkok Asia/Barnaul Asia/Beirut Asia/Bishkek Asia/Brunei Asia/Calcutta
   Asia/Chita Asia/Choibalsan Asia/Chongqing Asia/Chungking Asia/Colombo Asia/Dacca Asia/Damascus Asia/Dhaka
   Asia/Dili Asia/Dubai Asia/Dushanbe Asia/Famagusta Asia/Gaza Asia/Harbin Asia/Hebron Asia/Ho_Chi_Minh
   Asia/Hong_Kong Asia/Hovd Asia/Irkutsk Asia/Istanbul Asia/Jakarta Asia/Jayapura Asia/Jerusalem Asia/Kabul
   Asia/Kamchatka Asia/Karachi Asia/Kashgar Asia/Kathmandu Asia/Katmandu Asia/Khandyga Asia/Kolkata Asia/Krasnoyarsk
   Asia/Kuala_Lumpur Asia/Kuching Asia/Kuwait Asia/Macao Asia/Macau Asia/Magadan Asia/Makassar Asia/Manila
   Asia/Muscat Asia/Nicosia Asia/Novokuznetsk Asia/Novosibirsk Asia/Omsk Asia/Oral Asia/Phnom_Penh Asia/Pontianak
   Asia/Pyongyang Asia/Qatar Asia/Qostanay Asia/Qyzylorda Asia/Rangoon Asia/Riyadh Asia/Saigon Asia/Sakhalin
   Asia/Samarkand Asia/Seoul Asia/Shanghai Asia/Singapore Asia/Srednekolymsk Asia/Taipei Asia/Tashkent Asia/Tbilisi
   Asia/Tehran Asia/Tel_Aviv Asia/Thimbu Asia/Thimphu Asia/Tokyo Asia/Tomsk Asia/Ujung_Pandang Asia/Ulaanbaatar
   Asia/Ulan_Bator Asia/Urumqi Asia/Ust-Nera Asia/Vientiane Asia/Vladivostok Asia/Yakutsk Asia/Yangon
   Asia/Yekaterinburg Asia/Yerevan Atlantic/Azores Atlantic/Bermuda Atlantic/Canary Atlantic/Cape_Verde
   Atlantic/Faeroe Atlantic/Faroe Atlantic/Jan_Mayen Atlantic/Madeira Atlantic/Reykjavik Atlantic/South_Georgia
   Atlantic/St_Helena Atlantic/Stanley Australia/ACT Australia/Adelaide Australia/Brisbane Australia/Broken_Hill
   Australia/Canberra Australia/Currie Australia/Darwin Australia/Eucla Australia/Hobart Australia/LHI
   Australia/Lindeman Australia/Lord_Howe Australia/Melbourne Australia/NSW Australia/North Australia/Perth
   Australia/Queensland Australia/South Australia/Sydney Australia/Tasmania Australia/Victoria Australia/West
   Australia/Yancowinna Brazil/Acre Brazil/DeNoronha Brazil/East Brazil/West CET CST6CDT Canada/Atlantic
   Canada/Central Canada/Eastern Canada/Mountain Canada/Newfoundland Canada/Pacific Canada/Saskatchewan Canada/Yukon
   Chile/Continental Chile/EasterIsland Cuba EET EST EST5EDT Egypt Eire Etc/GMT Etc/GMT+0 Etc/GMT+1 Etc/GMT+10
   Etc/GMT+11 Etc/GMT+12 Etc/GMT+2 Etc/GMT+3 Etc/GMT+4 Etc/GMT+5 Etc/GMT+6 Etc/GMT+7 Etc/GMT+8 Etc/GMT+9 Etc/GMT-0
   Etc/GMT-1 Etc/GMT-10 Etc/GMT-11 Etc/GMT-12 Etc/GMT-13 Etc/GMT-14 Etc/GMT-2 Etc/GMT-3 Etc/GMT-4 Etc/GMT-5
   Etc/GMT-6 Etc/GMT-7 Etc/GMT-8 Etc/GMT-9 Etc/GMT0 Etc/Greenwich Etc/UCT Etc/UTC Etc/Universal Etc/Zulu
   Europe/Amsterdam Europe/Andorra Europe/Astrakhan Europe/Athens Europe/Belfast Europe/Belgrade Europe/Berlin
   Europe/Bratislava Europe/Brussels Europe/Bucharest Europe/Budapest Europe/Busingen Europe/Chisinau
   Europe/Copenhagen Europe/Dublin Europe/Gibraltar Europe/Guernsey Europe/Helsinki Europe/Isle_of_Man
   Europe/Istanbul Europe/Jersey Europe/Kaliningrad Europe/Kiev Europe/Kirov Europe/Kyiv Europe/Lisbon
   Europe/Ljubljana Europe/London Europe/Luxembourg Europe/Madrid Europe/Malta Europe/Mariehamn Europe/Minsk
   Europe/Monaco Europe/Moscow Europe/Nicosia Europe/Oslo Europe/Paris Europe/Podgorica Europe/Prague Europe/Riga
   Europe/Rome Europe/Samara Europe/San_Marino Europe/Sarajevo Europe/Saratov Europe/Simferopol Europe/Skopje
   Europe/Sofia Europe/Stockholm Europe/Tallinn Europe/Tirane Europe/Tiraspol Europe/Ulyanovsk Europe/Uzhgorod
   Europe/Vaduz Europe/Vatican Europe/Vienna Europe/Vilnius Europe/Volgograd Europe/Warsaw Europe/Zagreb
   Europe/Zaporozhye Europe/Zurich Factory GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland
   Indian/Antananarivo Indian/Chagos Indian/Christmas Indian/Cocos Indian/Comoro Indian/Kerguelen Indian/Mahe
   Indian/Maldives Indian/Mauritius Indian/Mayotte Indian/Reunion Iran Israel Jamaica Japan Kwajalein Libya MET MST
   MST7MDT Mexico/BajaNorte Mexico/BajaSur Mexico/General NZ NZ-CHAT Navajo PRC PST8PDT Pacific/Apia
   Pacific/Auckland Pacific/Bougainville Pacific/Chatham Pacific/Chuuk Pacific/Easter Pacific/Efate
   Pacific/Enderbury Pacific/Fakaofo Pacific/Fiji Pacific/Funafuti Pacific/Galapagos Pacific/Gambier
   Pacific/Guadalcanal Pacific/Guam Pacific/Honolulu Pacific/Johnston Pacific/Kanton Pacific/Kiritimati
   Pacific/Kosrae Pacific/Kwajalein Pacific/Majuro Pacific/Marquesas Pacific/Midway Pacific/Nauru Pacific/Niue
   Pacific/Norfolk Pacific/Noumea Pacific/Pago_Pago Pacific/Palau Pacific/Pitcairn Pacific/Pohnpei Pacific/Ponape
   Pacific/Port_Moresby Pacific/Rarotonga Pacific/Saipan Pacific/Samoa Pacific/Tahiti Pacific/Tarawa
   Pacific/Tongatapu Pacific/Truk Pacific/Wake Pacific/Wallis Pacific/Yap Poland Portugal ROC ROK Singapore Turkey
   UCT US/Alaska US/Aleutian US/Arizona US/Central US/East-Indiana US/Eastern US/Hawaii US/Indiana-Starke
   US/Michigan US/Mountain US/Pacific US/Samoa UTC Universal W-SU WET Zulu',
  '\s+'
);

-- currencies

CREATE TABLE currencies (
  code text NOT NULL,
  CONSTRAINT currencies_pkey PRIMARY KEY (code)
);

GRANT SELECT ON currencies TO orgdata_service, orgdata_writer;

COMMENT ON TABLE currencies IS 'Currencies that rows may name. Filled by `orgdata migrate`, the same for all organizations.';
COMMENT ON COLUMN currencies.code IS 'ISO 4217, three upper-case letters.';

INSERT INTO currencies (code) SELECT regexp_split_to_table(
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BYR BZD CAD CDF
   CHE CHF CHW CLF CLP CNY COP COU CRC CUC CUP CVE CZK DJF DKK DOP DZD EEK EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP
   GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK
   LBP LKR LRD LSL LTL LVL LYD MAD MDL MGA MKD MMK MNT MOP MRO MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR
   NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STD STN
   SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VEF VES VND VUV WST XAD XAF
   XAG XAU XBA XBB XBC XBD XCD XCG XDR XOF XPD XPF XPT XSU XTS XUA XXX YER ZAR ZMK ZMW ZWG ZWL',
  '\s+'
);

-- countries

CREATE TABLE countries (
  code text NOT NULL,
  CONSTRAINT countries_pkey PRIMARY KEY (code)
);

GRANT SELECT ON countries TO orgdata_service, orgdata_writer;

COMMENT ON TABLE countries IS 'Countries that rows may name. Filled by `orgdata migrate`, the same for all organizations.';
COMMENT ON COLUMN countries.code IS 'ISO 3166-1 alpha-2.';

INSERT INTO countries (code) SELECT regexp_split_to_table(
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC
   CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB
   GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE
   KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT
   MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU
   RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ
   UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW',
  '\s+'
);

-- organizations

CREATE TABLE organizations (
  organization_id uuid NOT NULL,
  name text NOT NULL,
  timezone text NOT NULL,
  currency text NOT NULL,
  week_start_day text DEFAULT 'monday' NOT NULL,
  country text,
  status text DEFAULT 'active' NOT NULL,
  features jsonb DEFAULT
    '{"leave": true, "payroll": true, "invoicing": true, "screenshots": true, "app_tracking": true, "clock_in_out": true, "url_tracking": true}'
    NOT NULL,
  data_retention_days jsonb DEFAULT '{"app_usage": 365, "url_usage": 365, "screenshots": 180}' NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  report_changed_at timestamptz,
  CONSTRAINT organizations_pkey PRIMARY KEY (organization_id),
  CONSTRAINT organizations_timezone_fkey FOREIGN KEY (timezone) REFERENCES time_zones (name),
  CONSTRAINT organizations_currency_fkey FOREIGN KEY (currency) REFERENCES currencies (code),
  CONSTRAINT organizations_country_fkey FOREIGN KEY (country) REFERENCES countries (code),
  CONSTRAINT organizations_status_check CHECK (status IN ('active', 'suspended')),
  CONSTRAINT organizations_week_start_day_check
    CHECK (week_start_day IN ('monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday')),
  CONSTRAINT organizations_years_1900_to_2999_check
    CHECK (least(created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(created_at, updated_at, deleted_at)
      < '3000-01-01Z'),
  CONSTRAINT organizations_features_screenshots_is_boolean_check
    CHECK ((jsonb_typeof(features -> 'screenshots') = 'boolean') IS TRUE),
  CONSTRAINT organizations_features_app_tracking_is_boolean_check
    CHECK ((jsonb_typeof(features -> 'app_tracking') = 'boolean') IS TRUE),
  CONSTRAINT organizations_features_url_tracking_is_boolean_check
    CHECK ((jsonb_typeof(features -> 'url_tracking') = 'boolean') IS TRUE),
  CONSTRAINT organizations_features_clock_in_out_is_boolean_check
    CHECK ((jsonb_typeof(features -> 'clock_in_out') = 'boolean') IS TRUE),
  CONSTRAINT organizations_features_invoicing_is_boolean_check
    CHECK ((jsonb_typeof(features -> 'invoicing') = 'boolean') IS TRUE),
  CONSTRAINT organizations_features_payroll_is_boolean_check
    CHECK ((jsonb_typeof(features -> 'payroll') = 'boolean') IS TRUE),
  CONSTRAINT organizations_features_leave_is_boolean_check
    CHECK ((jsonb_typeof(features -> 'leave') = 'boolean') IS TRUE),
  CONSTRAINT organizations_data_retention_days_screenshots_is_days_check
    CHECK (CASE WHEN jsonb_typeof((data_retention_days -> 'screenshots')) = 'number' THEN (data_retention_days ->
      'screenshots')::numeric BETWEEN 0 AND 36500 AND (data_retention_days -> 'screenshots')::numeric % 1 = 0 ELSE
      false END),
  CONSTRAINT organizations_data_retention_days_app_usage_is_days_check
    CHECK (CASE WHEN jsonb_typeof((data_retention_days -> 'app_usage')) = 'number' THEN (data_retention_days ->
      'app_usage')::numeric BETWEEN 0 AND 36500 AND (data_retention_days -> 'app_usage')::numeric % 1 = 0 ELSE
      false END),
  CONSTRAINT organizations_data_retention_days_url_usage_is_days_check
    CHECK (CASE WHEN jsonb_typeof((data_retention_days -> 'url_usage')) = 'number' THEN (data_retention_days ->
      'url_usage')::numeric BETWEEN 0 AND 36500 AND (data_retention_days -> 'url_usage')::numeric % 1 = 0 ELSE
      false END)
);

ALTER TABLE organizations ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON organizations USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);
CREATE POLICY owner ON organizations FOR SELECT TO CURRENT_USER USING (true);

GRANT SELECT ON organizations TO orgdata_service;
GRANT SELECT, UPDATE (name, timezone, currency, week_start_day, country, features, data_retention_days, updated_at) ON
  organizations TO orgdata_writer;

CREATE TRIGGER remember_report_change BEFORE UPDATE ON public.organizations FOR EACH ROW
  WHEN (ROW(OLD.timezone) IS DISTINCT FROM ROW(NEW.timezone))
  EXECUTE FUNCTION public.remember_report_change();
COMMENT ON TRIGGER remember_report_change ON organizations IS 'CREATE OR REPLACE TRIGGER remember_report_change BEFORE UPDATE ON public.organizations FOR EACH ROW WHEN (ROW(OLD.timezone) IS DISTINCT FROM ROW(NEW.timezone)) EXECUTE FUNCTION public.remember_report_change()';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.organizations FOR EACH ROW
  WHEN (ROW(OLD.organization_id, OLD.name, OLD.timezone, OLD.currency, OLD.week_start_day, OLD.country, OLD.status,
    OLD.features, OLD.data_retention_days, OLD.created_at, OLD.updated_at, OLD.deleted_at) IS DISTINCT FROM
    ROW(NEW.organization_id, NEW.name, NEW.timezone, NEW.currency, NEW.week_start_day, NEW.country, NEW.status,
    NEW.features, NEW.data_retention_days, NEW.created_at, NEW.updated_at, NEW.deleted_at))
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON organizations IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.organizations FOR EACH ROW WHEN (ROW(OLD.organization_id, OLD.name, OLD.timezone, OLD.currency, OLD.week_start_day, OLD.country, OLD.status, OLD.features, OLD.data_retention_days, OLD.created_at, OLD.updated_at, OLD.deleted_at) IS DISTINCT FROM ROW(NEW.organization_id, NEW.name, NEW.timezone, NEW.currency, NEW.week_start_day, NEW.country, NEW.status, NEW.features, NEW.data_retention_days, NEW.created_at, NEW.updated_at, NEW.deleted_at)) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE organizations IS 'An organization: each key reads one of them. Its zone decides which local day time belongs to.';
COMMENT ON COLUMN organizations.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN organizations.name IS 'Name that clients see.';
COMMENT ON COLUMN organizations.timezone IS 'IANA name of the row''s time zone.';
COMMENT ON COLUMN organizations.currency IS 'ISO 4217 code of the amounts of the row.';
COMMENT ON COLUMN organizations.week_start_day IS 'First day of payroll weeks and of weekly overtime.';
COMMENT ON COLUMN organizations.country IS 'ISO 3166-1 alpha-2 code.';
COMMENT ON COLUMN organizations.status IS 'Only operators set it; the keys of a suspended organization are refused.';
COMMENT ON COLUMN organizations.features IS 'Object of booleans: what the organization uses, so that clients understand empty lists.';
COMMENT ON COLUMN organizations.data_retention_days IS 'Object of days: how long screenshots, app_usage and url_usage stay; orgdata retain drops older ones.';
COMMENT ON COLUMN organizations.created_at IS 'When the row was made.';
COMMENT ON COLUMN organizations.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN organizations.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';
COMMENT ON COLUMN organizations.report_changed_at IS 'When timezone last changed, which reports show; null: never. A trigger sets it.';

-- members

CREATE TABLE members (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  membership_id uuid NOT NULL,
  email text,
  full_name text NOT NULL,
  first_name text,
  last_name text,
  avatar_url text,
  role text DEFAULT 'member' NOT NULL,
  status text DEFAULT 'active' NOT NULL,
  is_tracking_enabled boolean DEFAULT true NOT NULL,
  timezone text,
  employee_number text,
  job_title text,
  department text,
  employment_type text,
  manager_user_id uuid,
  hired_on date,
  left_on date,
  first_joined_at timestamptz(0),
  joined_at timestamptz(0),
  removed_at timestamptz(0),
  last_tracked_at timestamptz(0),
  weekly_limit_seconds integer,
  expected_weekly_seconds integer,
  custom_fields jsonb DEFAULT '{}' NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  earlier_joined_at timestamptz(0),
  earlier_removed_at timestamptz(0),
  CONSTRAINT members_pkey PRIMARY KEY (organization_id, user_id),
  CONSTRAINT members_organization_id_membership_id_key UNIQUE (organization_id, membership_id),
  CONSTRAINT members_organization_id_manager_user_id_fkey
    FOREIGN KEY (organization_id, manager_user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT members_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT members_timezone_fkey FOREIGN KEY (timezone) REFERENCES time_zones (name),
  CONSTRAINT members_removed_check CHECK ((status = 'removed') = (removed_at IS NOT NULL)),
  CONSTRAINT members_employment_type_check CHECK (employment_type IN ('employee', 'contractor', 'intern', 'other')),
  CONSTRAINT members_role_check CHECK (role IN ('owner', 'admin', 'manager', 'member', 'viewer')),
  CONSTRAINT members_status_check CHECK (status IN ('active', 'invited', 'suspended', 'removed')),
  CONSTRAINT members_years_1900_to_2999_check
    CHECK (least(first_joined_at, joined_at, removed_at, last_tracked_at, created_at, updated_at, deleted_at) >=
      '1900-01-01Z' AND greatest(first_joined_at, joined_at, removed_at, last_tracked_at, created_at, updated_at,
      deleted_at) < '3000-01-01Z'),
  CONSTRAINT members_years_1900_to_9999_check
    CHECK (least(hired_on, left_on) >= '1900-01-01' AND greatest(hired_on, left_on) <= '9999-12-31'),
  CONSTRAINT members_zero_or_more_check CHECK (least(weekly_limit_seconds, expected_weekly_seconds) >= 0),
  CONSTRAINT members_custom_fields_are_strings_check
    CHECK (jsonb_typeof(custom_fields) = 'object' AND NOT jsonb_path_exists(custom_fields,
      'strict $.* ? (@.type() != "string")')),
  CONSTRAINT members_joined_at_check CHECK (status NOT IN ('active', 'suspended') OR joined_at IS NOT NULL),
  CONSTRAINT members_first_joined_at_check CHECK (joined_at IS NULL OR (first_joined_at <= joined_at) IS TRUE)
);

CREATE INDEX members_organization_id_created_at_user_id_idx ON members (organization_id, created_at, user_id) WHERE
  deleted_at IS NULL;
CREATE INDEX members_organization_id_status_created_at_user_id_idx ON members (organization_id, status, created_at,
  user_id);
CREATE INDEX members_organization_id_updated_at_user_id_idx ON members (organization_id, updated_at, user_id);
CREATE INDEX members_scope_idx ON members (organization_id, first_joined_at, removed_at) INCLUDE (created_at, user_id)
  WHERE deleted_at IS NULL;
CREATE INDEX members_deleted_idx ON members (organization_id, user_id) WHERE deleted_at IS NOT NULL;
CREATE INDEX members_present_idx ON members (organization_id, created_at, user_id) WHERE deleted_at IS NULL AND
  removed_at IS NULL;
CREATE INDEX members_manager_user_id_idx ON members (organization_id, manager_user_id, created_at, user_id) WHERE
  manager_user_id IS NOT NULL;
CREATE INDEX members_by_full_name_idx ON members (organization_id, (full_name COLLATE "C"), user_id) WHERE deleted_at IS
  NULL;
CREATE INDEX members_by_joined_at_idx ON members (organization_id, (CASE WHEN (joined_at IS NULL) THEN '9999-12-31Z'
  ELSE joined_at END), user_id) WHERE deleted_at IS NULL;

ALTER TABLE members ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON members USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON members TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON members TO orgdata_writer;

CREATE FUNCTION public.cascade_deletion_of_members() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(NEW.removed_at, NEW.deleted_at) IS NULL AND NEW.membership_id <> OLD.membership_id THEN RETURN NULL; END IF;
  IF coalesce(OLD.removed_at, OLD.deleted_at) IS NULL THEN
    UPDATE public.team_members child SET deleted_at = coalesce(NEW.removed_at, NEW.deleted_at) WHERE child.organization_id = NEW.organization_id AND child.user_id = NEW.user_id AND child.deleted_at IS NULL;
    UPDATE public.project_members child SET deleted_at = coalesce(NEW.removed_at, NEW.deleted_at) WHERE child.organization_id = NEW.organization_id AND child.user_id = NEW.user_id AND child.deleted_at IS NULL;
    UPDATE public.task_members child SET deleted_at = coalesce(NEW.removed_at, NEW.deleted_at) WHERE child.organization_id = NEW.organization_id AND child.user_id = NEW.user_id AND child.deleted_at IS NULL;
  ELSE
    UPDATE public.team_members child SET deleted_at = coalesce(NEW.removed_at, NEW.deleted_at) WHERE child.organization_id = NEW.organization_id AND child.user_id = NEW.user_id AND child.deleted_at = coalesce(OLD.removed_at, OLD.deleted_at);
    UPDATE public.project_members child SET deleted_at = coalesce(NEW.removed_at, NEW.deleted_at) WHERE child.organization_id = NEW.organization_id AND child.user_id = NEW.user_id AND child.deleted_at = coalesce(OLD.removed_at, OLD.deleted_at);
    UPDATE public.task_members child SET deleted_at = coalesce(NEW.removed_at, NEW.deleted_at) WHERE child.organization_id = NEW.organization_id AND child.user_id = NEW.user_id AND child.deleted_at = coalesce(OLD.removed_at, OLD.deleted_at);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER cascade_deletion AFTER UPDATE ON public.members FOR EACH ROW
  WHEN (coalesce(OLD.removed_at, OLD.deleted_at) IS DISTINCT FROM coalesce(NEW.removed_at, NEW.deleted_at))
  EXECUTE FUNCTION public.cascade_deletion_of_members();
COMMENT ON TRIGGER cascade_deletion ON members IS 'CREATE OR REPLACE TRIGGER cascade_deletion AFTER UPDATE ON public.members FOR EACH ROW WHEN (coalesce(OLD.removed_at, OLD.deleted_at) IS DISTINCT FROM coalesce(NEW.removed_at, NEW.deleted_at)) EXECUTE FUNCTION public.cascade_deletion_of_members()';
CREATE TRIGGER remember_membership BEFORE UPDATE ON public.members FOR EACH ROW
  WHEN (ROW(OLD.first_joined_at, OLD.removed_at, OLD.deleted_at) IS DISTINCT FROM ROW(NEW.first_joined_at,
    NEW.removed_at, NEW.deleted_at))
  EXECUTE FUNCTION public.remember_membership();
COMMENT ON TRIGGER remember_membership ON members IS 'CREATE OR REPLACE TRIGGER remember_membership BEFORE UPDATE ON public.members FOR EACH ROW WHEN (ROW(OLD.first_joined_at, OLD.removed_at, OLD.deleted_at) IS DISTINCT FROM ROW(NEW.first_joined_at, NEW.removed_at, NEW.deleted_at)) EXECUTE FUNCTION public.remember_membership()';
CREATE TRIGGER set_join_times BEFORE INSERT OR UPDATE ON public.members FOR EACH ROW
  EXECUTE FUNCTION public.set_join_times();
COMMENT ON TRIGGER set_join_times ON members IS 'CREATE OR REPLACE TRIGGER set_join_times BEFORE INSERT OR UPDATE ON public.members FOR EACH ROW EXECUTE FUNCTION public.set_join_times()';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.members FOR EACH ROW
  WHEN (ROW(OLD.organization_id, OLD.user_id, OLD.membership_id, OLD.email, OLD.full_name, OLD.first_name,
    OLD.last_name, OLD.avatar_url, OLD.role, OLD.status, OLD.is_tracking_enabled, OLD.timezone, OLD.employee_number,
    OLD.job_title, OLD.department, OLD.employment_type, OLD.manager_user_id, OLD.hired_on, OLD.left_on,
    OLD.first_joined_at, OLD.joined_at, OLD.removed_at, OLD.weekly_limit_seconds, OLD.expected_weekly_seconds,
    OLD.custom_fields, OLD.created_at, OLD.updated_at, OLD.deleted_at) IS DISTINCT FROM ROW(NEW.organization_id,
    NEW.user_id, NEW.membership_id, NEW.email, NEW.full_name, NEW.first_name, NEW.last_name, NEW.avatar_url,
    NEW.role, NEW.status, NEW.is_tracking_enabled, NEW.timezone, NEW.employee_number, NEW.job_title, NEW.department,
    NEW.employment_type, NEW.manager_user_id, NEW.hired_on, NEW.left_on, NEW.first_joined_at, NEW.joined_at,
    NEW.removed_at, NEW.weekly_limit_seconds, NEW.expected_weekly_seconds, NEW.custom_fields, NEW.created_at,
    NEW.updated_at, NEW.deleted_at))
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON members IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.members FOR EACH ROW WHEN (ROW(OLD.organization_id, OLD.user_id, OLD.membership_id, OLD.email, OLD.full_name, OLD.first_name, OLD.last_name, OLD.avatar_url, OLD.role, OLD.status, OLD.is_tracking_enabled, OLD.timezone, OLD.employee_number, OLD.job_title, OLD.department, OLD.employment_type, OLD.manager_user_id, OLD.hired_on, OLD.left_on, OLD.first_joined_at, OLD.joined_at, OLD.removed_at, OLD.weekly_limit_seconds, OLD.expected_weekly_seconds, OLD.custom_fields, OLD.created_at, OLD.updated_at, OLD.deleted_at) IS DISTINCT FROM ROW(NEW.organization_id, NEW.user_id, NEW.membership_id, NEW.email, NEW.full_name, NEW.first_name, NEW.last_name, NEW.avatar_url, NEW.role, NEW.status, NEW.is_tracking_enabled, NEW.timezone, NEW.employee_number, NEW.job_title, NEW.department, NEW.employment_type, NEW.manager_user_id, NEW.hired_on, NEW.left_on, NEW.first_joined_at, NEW.joined_at, NEW.removed_at, NEW.weekly_limit_seconds, NEW.expected_weekly_seconds, NEW.custom_fields, NEW.created_at, NEW.updated_at, NEW.deleted_at)) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE members IS 'A person in an organization: the current membership, or the last one. Reports show who joined by their days.';
COMMENT ON COLUMN members.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN members.user_id IS 'The person, the same id in every organization and in every reference.';
COMMENT ON COLUMN members.membership_id IS 'This membership; a person who is invited again gets a new one.';
COMMENT ON COLUMN members.email IS 'E-mail address. Erasure makes it null.';
COMMENT ON COLUMN members.full_name IS 'Name that lists and reports show. Erasure makes it `Former member`.';
COMMENT ON COLUMN members.first_name IS 'Given name. Erasure makes it null.';
COMMENT ON COLUMN members.last_name IS 'Family name. Erasure makes it null.';
COMMENT ON COLUMN members.avatar_url IS 'https URL of a picture. Erasure lists it for deletion, and makes it null.';
COMMENT ON COLUMN members.role IS 'What the person may do in the tracking application.';
COMMENT ON COLUMN members.status IS 'removed exactly if removed_at is set; /members/ leaves removed people out by default.';
COMMENT ON COLUMN members.is_tracking_enabled IS 'Whether the person''s time may be tracked.';
COMMENT ON COLUMN members.timezone IS 'IANA name of the row''s time zone. Erasure makes it null.';
COMMENT ON COLUMN members.employee_number IS 'Number in the HR or payroll system, to join data. Erasure makes it null.';
COMMENT ON COLUMN members.job_title IS 'Free text. Erasure makes it null.';
COMMENT ON COLUMN members.department IS 'Free text. Erasure keeps it.';
COMMENT ON COLUMN members.employment_type IS 'Kind of contract.';
COMMENT ON COLUMN members.manager_user_id IS 'The person''s manager.';
COMMENT ON COLUMN members.hired_on IS 'Calendar date of the contract, without a time zone.';
COMMENT ON COLUMN members.left_on IS 'Last calendar date of the contract, without a time zone.';
COMMENT ON COLUMN members.first_joined_at IS 'First time of joining, kept over later invitations; earlier reports have the person only with time.';
COMMENT ON COLUMN members.joined_at IS 'When the current membership began; null while invited.';
COMMENT ON COLUMN members.removed_at IS 'When the person was removed; reports of later days show the person only with time.';
COMMENT ON COLUMN members.last_tracked_at IS 'End of the latest timesheet. Derived: a change of it alone leaves updated_at.';
COMMENT ON COLUMN members.weekly_limit_seconds IS 'Most seconds that the person may track in a week.';
COMMENT ON COLUMN members.expected_weekly_seconds IS 'Seconds that the person should work in a week.';
COMMENT ON COLUMN members.custom_fields IS 'Object of strings, under names that the organization chose. Erasure makes it `{}`.';
COMMENT ON COLUMN members.created_at IS 'When the row was made.';
COMMENT ON COLUMN members.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN members.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';
COMMENT ON COLUMN members.earlier_joined_at IS 'Earliest first_joined_at before the membership changed; null: it never did. A trigger sets it.';
COMMENT ON COLUMN members.earlier_removed_at IS 'Latest removed_at before the membership changed; null: it had no end. A trigger sets it.';

-- teams

CREATE TABLE teams (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  description text,
  is_active boolean DEFAULT true NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT teams_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT teams_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT teams_years_1900_to_2999_check
    CHECK (least(created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(created_at, updated_at, deleted_at)
      < '3000-01-01Z')
);

CREATE INDEX teams_organization_id_created_at_id_idx ON teams (organization_id, created_at, id) WHERE deleted_at IS
  NULL;
CREATE INDEX teams_organization_id_updated_at_id_idx ON teams (organization_id, updated_at, id);
CREATE INDEX teams_deleted_idx ON teams (organization_id, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX teams_by_name_idx ON teams (organization_id, (name COLLATE "C"), id) WHERE deleted_at IS NULL;

ALTER TABLE teams ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON teams USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON teams TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON teams TO orgdata_writer;

CREATE FUNCTION public.cascade_deletion_of_teams() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.deleted_at IS NULL THEN
    UPDATE public.team_members child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.team_id = NEW.id AND child.deleted_at IS NULL;
    UPDATE public.project_members child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.team_id = NEW.id AND child.deleted_at IS NULL;
  ELSE
    UPDATE public.team_members child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.team_id = NEW.id AND child.deleted_at = OLD.deleted_at;
    UPDATE public.project_members child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.team_id = NEW.id AND child.deleted_at = OLD.deleted_at;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER cascade_deletion AFTER UPDATE ON public.teams FOR EACH ROW
  WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION public.cascade_deletion_of_teams();
COMMENT ON TRIGGER cascade_deletion ON teams IS 'CREATE OR REPLACE TRIGGER cascade_deletion AFTER UPDATE ON public.teams FOR EACH ROW WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at) EXECUTE FUNCTION public.cascade_deletion_of_teams()';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.teams FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON teams IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.teams FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE teams IS 'A group of members. Reports can be restricted to a team.';
COMMENT ON COLUMN teams.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN teams.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN teams.name IS 'Name that clients see.';
COMMENT ON COLUMN teams.description IS 'Free text.';
COMMENT ON COLUMN teams.is_active IS 'False hides the team in the tracking application; the API shows it with the flag.';
COMMENT ON COLUMN teams.created_at IS 'When the row was made.';
COMMENT ON COLUMN teams.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN teams.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- team_members

CREATE TABLE team_members (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  team_id uuid NOT NULL,
  user_id uuid NOT NULL,
  role text DEFAULT 'member' NOT NULL,
  joined_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT team_members_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT team_members_organization_id_team_id_fkey
    FOREIGN KEY (organization_id, team_id) REFERENCES teams (organization_id, id),
  CONSTRAINT team_members_organization_id_user_id_fkey
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT team_members_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT team_members_role_check CHECK (role IN ('lead', 'member')),
  CONSTRAINT team_members_years_1900_to_2999_check
    CHECK (least(joined_at, created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(joined_at, created_at,
      updated_at, deleted_at) < '3000-01-01Z')
);

CREATE UNIQUE INDEX team_members_live_key ON team_members (organization_id, team_id, user_id) WHERE deleted_at IS NULL;
CREATE INDEX team_members_organization_id_team_id_joined_at_id_idx ON team_members (organization_id, team_id, joined_at,
  id);
CREATE INDEX team_members_organization_id_updated_at_id_idx ON team_members (organization_id, updated_at, id);
CREATE INDEX team_members_organization_id_user_id_team_id_idx ON team_members (organization_id, user_id, team_id);

ALTER TABLE team_members ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON team_members USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON team_members TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON team_members TO orgdata_writer;

CREATE TRIGGER refuse_move BEFORE UPDATE ON public.team_members FOR EACH ROW
  WHEN (ROW(OLD.team_id, OLD.user_id) IS DISTINCT FROM ROW(NEW.team_id, NEW.user_id))
  EXECUTE FUNCTION public.refuse_move('team_id', 'user_id');
COMMENT ON TRIGGER refuse_move ON team_members IS 'CREATE OR REPLACE TRIGGER refuse_move BEFORE UPDATE ON public.team_members FOR EACH ROW WHEN (ROW(OLD.team_id, OLD.user_id) IS DISTINCT FROM ROW(NEW.team_id, NEW.user_id)) EXECUTE FUNCTION public.refuse_move(''team_id'', ''user_id'')';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.team_members FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON team_members IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.team_members FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE team_members IS 'A member of a team; a person is at most once in a team.';
COMMENT ON COLUMN team_members.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN team_members.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN team_members.team_id IS 'The team.';
COMMENT ON COLUMN team_members.user_id IS 'The member.';
COMMENT ON COLUMN team_members.role IS 'Whether the person leads the team; leads are in lead_user_ids of the team.';
COMMENT ON COLUMN team_members.joined_at IS 'When the person came into the team.';
COMMENT ON COLUMN team_members.created_at IS 'When the row was made.';
COMMENT ON COLUMN team_members.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN team_members.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- clients

CREATE TABLE clients (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  archived_at timestamptz(0),
  contact_name text,
  email text,
  phone text,
  invoice_emails text[] DEFAULT '{}' NOT NULL,
  address jsonb,
  tax_number text,
  currency text NOT NULL,
  timezone text,
  net_terms_days integer,
  budget_type text DEFAULT 'none' NOT NULL,
  budget_amount numeric(19,4),
  budget_seconds bigint,
  budget_recurrence text DEFAULT 'none' NOT NULL,
  external_id text,
  note text,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  report_changed_at timestamptz,
  CONSTRAINT clients_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT clients_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT clients_timezone_fkey FOREIGN KEY (timezone) REFERENCES time_zones (name),
  CONSTRAINT clients_currency_fkey FOREIGN KEY (currency) REFERENCES currencies (code),
  CONSTRAINT clients_budget_of_money_check CHECK ((budget_type = 'amount') = (budget_amount IS NOT NULL)),
  CONSTRAINT clients_budget_of_time_check CHECK ((budget_type = 'time') = (budget_seconds IS NOT NULL)),
  CONSTRAINT clients_budget_recurrence_check CHECK (budget_recurrence IN ('none', 'weekly', 'monthly')),
  CONSTRAINT clients_budget_type_check CHECK (budget_type IN ('none', 'amount', 'time')),
  CONSTRAINT clients_years_1900_to_2999_check
    CHECK (least(archived_at, created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(archived_at,
      created_at, updated_at, deleted_at) < '3000-01-01Z'),
  CONSTRAINT clients_zero_or_more_check CHECK (least(net_terms_days, budget_seconds) >= 0),
  CONSTRAINT clients_without_nan_check CHECK (greatest(budget_amount) < 'NaN'),
  CONSTRAINT clients_invoice_emails_without_null_check
    CHECK (CASE WHEN array_ndims(invoice_emails) > 1 THEN false ELSE array_position(invoice_emails, NULL) IS NULL END),
  CONSTRAINT clients_address_are_strings_check
    CHECK (jsonb_typeof(address) = 'object' AND NOT jsonb_path_exists(address,
      'strict $.* ? (@.type() != "string" && @.type() != "null")'))
);

CREATE INDEX clients_organization_id_created_at_id_idx ON clients (organization_id, created_at, id) WHERE deleted_at IS
  NULL;
CREATE INDEX clients_organization_id_external_id_idx ON clients (organization_id, external_id);
CREATE INDEX clients_organization_id_updated_at_id_idx ON clients (organization_id, updated_at, id);
CREATE INDEX clients_organization_id_report_changed_at_idx ON clients (organization_id, report_changed_at) WHERE
  report_changed_at IS NOT NULL;
CREATE INDEX clients_by_name_idx ON clients (organization_id, (name COLLATE "C"), id) WHERE deleted_at IS NULL;

ALTER TABLE clients ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON clients USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON clients TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON clients TO orgdata_writer;

CREATE TRIGGER remember_report_change BEFORE UPDATE ON public.clients FOR EACH ROW
  WHEN (ROW(OLD.name) IS DISTINCT FROM ROW(NEW.name))
  EXECUTE FUNCTION public.remember_report_change();
COMMENT ON TRIGGER remember_report_change ON clients IS 'CREATE OR REPLACE TRIGGER remember_report_change BEFORE UPDATE ON public.clients FOR EACH ROW WHEN (ROW(OLD.name) IS DISTINCT FROM ROW(NEW.name)) EXECUTE FUNCTION public.remember_report_change()';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.clients FOR EACH ROW
  WHEN (ROW(OLD.organization_id, OLD.id, OLD.name, OLD.archived_at, OLD.contact_name, OLD.email, OLD.phone,
    OLD.invoice_emails, OLD.address, OLD.tax_number, OLD.currency, OLD.timezone, OLD.net_terms_days,
    OLD.budget_type, OLD.budget_amount, OLD.budget_seconds, OLD.budget_recurrence, OLD.external_id, OLD.note,
    OLD.created_at, OLD.updated_at, OLD.deleted_at) IS DISTINCT FROM ROW(NEW.organization_id, NEW.id, NEW.name,
    NEW.archived_at, NEW.contact_name, NEW.email, NEW.phone, NEW.invoice_emails, NEW.address, NEW.tax_number,
    NEW.currency, NEW.timezone, NEW.net_terms_days, NEW.budget_type, NEW.budget_amount, NEW.budget_seconds,
    NEW.budget_recurrence, NEW.external_id, NEW.note, NEW.created_at, NEW.updated_at, NEW.deleted_at))
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON clients IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.clients FOR EACH ROW WHEN (ROW(OLD.organization_id, OLD.id, OLD.name, OLD.archived_at, OLD.contact_name, OLD.email, OLD.phone, OLD.invoice_emails, OLD.address, OLD.tax_number, OLD.currency, OLD.timezone, OLD.net_terms_days, OLD.budget_type, OLD.budget_amount, OLD.budget_seconds, OLD.budget_recurrence, OLD.external_id, OLD.note, OLD.created_at, OLD.updated_at, OLD.deleted_at) IS DISTINCT FROM ROW(NEW.organization_id, NEW.id, NEW.name, NEW.archived_at, NEW.contact_name, NEW.email, NEW.phone, NEW.invoice_emails, NEW.address, NEW.tax_number, NEW.currency, NEW.timezone, NEW.net_terms_days, NEW.budget_type, NEW.budget_amount, NEW.budget_seconds, NEW.budget_recurrence, NEW.external_id, NEW.note, NEW.created_at, NEW.updated_at, NEW.deleted_at)) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE clients IS 'A customer, for whom projects are done and to whom invoices are sent.';
COMMENT ON COLUMN clients.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN clients.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN clients.name IS 'Name that clients see.';
COMMENT ON COLUMN clients.archived_at IS 'When the customer was archived; is_active of the API is true while this is null.';
COMMENT ON COLUMN clients.contact_name IS 'Business contact.';
COMMENT ON COLUMN clients.email IS 'Business e-mail address.';
COMMENT ON COLUMN clients.phone IS 'Business telephone number.';
COMMENT ON COLUMN clients.invoice_emails IS 'Addresses to which invoices are sent.';
COMMENT ON COLUMN clients.address IS 'Object with line1, line2, city, region, postal_code, country: a business address.';
COMMENT ON COLUMN clients.tax_number IS 'VAT id, printed on invoices.';
COMMENT ON COLUMN clients.currency IS 'ISO 4217 code of the amounts of the row.';
COMMENT ON COLUMN clients.timezone IS 'IANA name of the row''s time zone.';
COMMENT ON COLUMN clients.net_terms_days IS 'Days until an invoice is due.';
COMMENT ON COLUMN clients.budget_type IS 'What the budget limits.';
COMMENT ON COLUMN clients.budget_amount IS 'Most money, in the currency of the row; exactly if the type is amount.';
COMMENT ON COLUMN clients.budget_seconds IS 'Most seconds; exactly if the type is time.';
COMMENT ON COLUMN clients.budget_recurrence IS 'When the budget starts again.';
COMMENT ON COLUMN clients.external_id IS 'Id in an accounting or CRM system. Imports may name the row by it.';
COMMENT ON COLUMN clients.note IS 'Free text.';
COMMENT ON COLUMN clients.created_at IS 'When the row was made.';
COMMENT ON COLUMN clients.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN clients.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';
COMMENT ON COLUMN clients.report_changed_at IS 'When name last changed, which reports show; null: never. A trigger sets it.';

-- projects

CREATE TABLE projects (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  client_id uuid,
  name text NOT NULL,
  code text,
  description text,
  status text DEFAULT 'active' NOT NULL,
  is_billable boolean DEFAULT true NOT NULL,
  billing_type text DEFAULT 'none' NOT NULL,
  bill_rate numeric(19,4),
  fixed_amount numeric(19,4),
  currency text NOT NULL,
  budget_type text DEFAULT 'none' NOT NULL,
  budget_amount numeric(19,4),
  budget_seconds bigint,
  budget_recurrence text DEFAULT 'none' NOT NULL,
  tracked_seconds_total bigint,
  start_date date,
  due_date date,
  completed_at timestamptz(0),
  archived_at timestamptz(0),
  color text,
  screenshots_enabled boolean DEFAULT true NOT NULL,
  activity_tracking_enabled boolean DEFAULT true NOT NULL,
  external_id text,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  report_changed_at timestamptz,
  CONSTRAINT projects_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT projects_organization_id_client_id_fkey
    FOREIGN KEY (organization_id, client_id) REFERENCES clients (organization_id, id),
  CONSTRAINT projects_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT projects_currency_fkey FOREIGN KEY (currency) REFERENCES currencies (code),
  CONSTRAINT projects_budget_of_money_check CHECK ((budget_type = 'amount') = (budget_amount IS NOT NULL)),
  CONSTRAINT projects_budget_of_time_check CHECK ((budget_type = 'time') = (budget_seconds IS NOT NULL)),
  CONSTRAINT projects_billing_type_check CHECK (billing_type IN ('none', 'hourly', 'fixed')),
  CONSTRAINT projects_budget_recurrence_check CHECK (budget_recurrence IN ('none', 'weekly', 'monthly')),
  CONSTRAINT projects_budget_type_check CHECK (budget_type IN ('none', 'amount', 'time')),
  CONSTRAINT projects_status_check CHECK (status IN ('active', 'on_hold', 'completed', 'archived')),
  CONSTRAINT projects_years_1900_to_2999_check
    CHECK (least(completed_at, archived_at, created_at, updated_at, deleted_at) >= '1900-01-01Z' AND
      greatest(completed_at, archived_at, created_at, updated_at, deleted_at) < '3000-01-01Z'),
  CONSTRAINT projects_years_1900_to_9999_check
    CHECK (least(start_date, due_date) >= '1900-01-01' AND greatest(start_date, due_date) <= '9999-12-31'),
  CONSTRAINT projects_zero_or_more_check CHECK (least(budget_seconds, tracked_seconds_total) >= 0),
  CONSTRAINT projects_without_nan_check CHECK (greatest(bill_rate, fixed_amount, budget_amount) < 'NaN')
);

CREATE INDEX projects_organization_id_client_id_created_at_id_idx ON projects (organization_id, client_id, created_at,
  id);
CREATE INDEX projects_organization_id_created_at_id_idx ON projects (organization_id, created_at, id) WHERE deleted_at
  IS NULL;
CREATE INDEX projects_organization_id_external_id_idx ON projects (organization_id, external_id);
CREATE INDEX projects_organization_id_updated_at_id_idx ON projects (organization_id, updated_at, id);
CREATE INDEX projects_organization_id_report_changed_at_idx ON projects (organization_id, report_changed_at) WHERE
  report_changed_at IS NOT NULL;
CREATE INDEX projects_deleted_idx ON projects (organization_id, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX projects_by_name_idx ON projects (organization_id, (name COLLATE "C"), id) WHERE deleted_at IS NULL;
CREATE INDEX projects_by_due_date_idx ON projects (organization_id, (CASE WHEN (due_date IS NULL) THEN '9999-12-31' ELSE
  due_date END), id) WHERE deleted_at IS NULL;

ALTER TABLE projects ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON projects USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON projects TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON projects TO orgdata_writer;

CREATE FUNCTION public.cascade_deletion_of_projects() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.deleted_at IS NULL THEN
    UPDATE public.project_members child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.project_id = NEW.id AND child.deleted_at IS NULL;
    UPDATE public.tasks child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.project_id = NEW.id AND child.deleted_at IS NULL;
  ELSE
    UPDATE public.project_members child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.project_id = NEW.id AND child.deleted_at = OLD.deleted_at;
    UPDATE public.tasks child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.project_id = NEW.id AND child.deleted_at = OLD.deleted_at;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER cascade_deletion AFTER UPDATE ON public.projects FOR EACH ROW
  WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION public.cascade_deletion_of_projects();
COMMENT ON TRIGGER cascade_deletion ON projects IS 'CREATE OR REPLACE TRIGGER cascade_deletion AFTER UPDATE ON public.projects FOR EACH ROW WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at) EXECUTE FUNCTION public.cascade_deletion_of_projects()';
CREATE TRIGGER remember_report_change BEFORE UPDATE ON public.projects FOR EACH ROW
  WHEN (ROW(OLD.name, OLD.client_id) IS DISTINCT FROM ROW(NEW.name, NEW.client_id))
  EXECUTE FUNCTION public.remember_report_change();
COMMENT ON TRIGGER remember_report_change ON projects IS 'CREATE OR REPLACE TRIGGER remember_report_change BEFORE UPDATE ON public.projects FOR EACH ROW WHEN (ROW(OLD.name, OLD.client_id) IS DISTINCT FROM ROW(NEW.name, NEW.client_id)) EXECUTE FUNCTION public.remember_report_change()';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.projects FOR EACH ROW
  WHEN (ROW(OLD.organization_id, OLD.id, OLD.client_id, OLD.name, OLD.code, OLD.description, OLD.status,
    OLD.is_billable, OLD.billing_type, OLD.bill_rate, OLD.fixed_amount, OLD.currency, OLD.budget_type,
    OLD.budget_amount, OLD.budget_seconds, OLD.budget_recurrence, OLD.start_date, OLD.due_date, OLD.completed_at,
    OLD.archived_at, OLD.color, OLD.screenshots_enabled, OLD.activity_tracking_enabled, OLD.external_id,
    OLD.created_at, OLD.updated_at, OLD.deleted_at) IS DISTINCT FROM ROW(NEW.organization_id, NEW.id, NEW.client_id,
    NEW.name, NEW.code, NEW.description, NEW.status, NEW.is_billable, NEW.billing_type, NEW.bill_rate,
    NEW.fixed_amount, NEW.currency, NEW.budget_type, NEW.budget_amount, NEW.budget_seconds, NEW.budget_recurrence,
    NEW.start_date, NEW.due_date, NEW.completed_at, NEW.archived_at, NEW.color, NEW.screenshots_enabled,
    NEW.activity_tracking_enabled, NEW.external_id, NEW.created_at, NEW.updated_at, NEW.deleted_at))
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON projects IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.projects FOR EACH ROW WHEN (ROW(OLD.organization_id, OLD.id, OLD.client_id, OLD.name, OLD.code, OLD.description, OLD.status, OLD.is_billable, OLD.billing_type, OLD.bill_rate, OLD.fixed_amount, OLD.currency, OLD.budget_type, OLD.budget_amount, OLD.budget_seconds, OLD.budget_recurrence, OLD.start_date, OLD.due_date, OLD.completed_at, OLD.archived_at, OLD.color, OLD.screenshots_enabled, OLD.activity_tracking_enabled, OLD.external_id, OLD.created_at, OLD.updated_at, OLD.deleted_at) IS DISTINCT FROM ROW(NEW.organization_id, NEW.id, NEW.client_id, NEW.name, NEW.code, NEW.description, NEW.status, NEW.is_billable, NEW.billing_type, NEW.bill_rate, NEW.fixed_amount, NEW.currency, NEW.budget_type, NEW.budget_amount, NEW.budget_seconds, NEW.budget_recurrence, NEW.start_date, NEW.due_date, NEW.completed_at, NEW.archived_at, NEW.color, NEW.screenshots_enabled, NEW.activity_tracking_enabled, NEW.external_id, NEW.created_at, NEW.updated_at, NEW.deleted_at)) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE projects IS 'Work for a customer, or internal work. Time is tracked on it.';
COMMENT ON COLUMN projects.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN projects.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN projects.client_id IS 'The customer; null for internal work.';
COMMENT ON COLUMN projects.name IS 'Name that clients see.';
COMMENT ON COLUMN projects.code IS 'Short name, such as WEB-1.';
COMMENT ON COLUMN projects.description IS 'Free text.';
COMMENT ON COLUMN projects.status IS 'is_active of the API is true for active and on_hold.';
COMMENT ON COLUMN projects.is_billable IS 'Default for new time and for tasks without a value of their own.';
COMMENT ON COLUMN projects.billing_type IS 'How the customer pays.';
COMMENT ON COLUMN projects.bill_rate IS 'What an hour costs the customer, in the currency of the row.';
COMMENT ON COLUMN projects.fixed_amount IS 'What the whole project costs the customer, in the currency of the row.';
COMMENT ON COLUMN projects.currency IS 'ISO 4217 code of the amounts of the row.';
COMMENT ON COLUMN projects.budget_type IS 'What the budget limits.';
COMMENT ON COLUMN projects.budget_amount IS 'Most money, in the currency of the row; exactly if the type is amount.';
COMMENT ON COLUMN projects.budget_seconds IS 'Most seconds; exactly if the type is time.';
COMMENT ON COLUMN projects.budget_recurrence IS 'When the budget starts again.';
COMMENT ON COLUMN projects.tracked_seconds_total IS 'Sum of tracked time, by a nightly job; null before its first run. Leaves updated_at.';
COMMENT ON COLUMN projects.start_date IS 'Calendar date, without a time zone.';
COMMENT ON COLUMN projects.due_date IS 'Calendar date, without a time zone.';
COMMENT ON COLUMN projects.completed_at IS 'When the work was completed.';
COMMENT ON COLUMN projects.archived_at IS 'When the project was archived.';
COMMENT ON COLUMN projects.color IS '#rrggbb.';
COMMENT ON COLUMN projects.screenshots_enabled IS 'Whether screenshots are taken during its time.';
COMMENT ON COLUMN projects.activity_tracking_enabled IS 'Whether input, applications and sites are recorded during its time.';
COMMENT ON COLUMN projects.external_id IS 'Id in another system. Imports may name the row by it.';
COMMENT ON COLUMN projects.created_at IS 'When the row was made.';
COMMENT ON COLUMN projects.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN projects.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';
COMMENT ON COLUMN projects.report_changed_at IS 'When name or client_id last changed, which reports show; null: never. A trigger sets it.';

-- project_members

CREATE TABLE project_members (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  project_id uuid NOT NULL,
  user_id uuid NOT NULL,
  role text DEFAULT 'member' NOT NULL,
  source text DEFAULT 'direct' NOT NULL,
  team_id uuid,
  pay_rate numeric(19,4),
  bill_rate numeric(19,4),
  currency text,
  budget_seconds bigint,
  joined_at timestamptz(0) NOT NULL,
  removed_at timestamptz(0),
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT project_members_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT project_members_organization_id_project_id_fkey
    FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id),
  CONSTRAINT project_members_organization_id_team_id_fkey
    FOREIGN KEY (organization_id, team_id) REFERENCES teams (organization_id, id),
  CONSTRAINT project_members_organization_id_user_id_fkey
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT project_members_organization_id_fkey
    FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT project_members_currency_fkey FOREIGN KEY (currency) REFERENCES currencies (code),
  CONSTRAINT project_members_source_team_check CHECK ((source = 'team') = (team_id IS NOT NULL)),
  CONSTRAINT project_members_role_check CHECK (role IN ('manager', 'member', 'viewer')),
  CONSTRAINT project_members_source_check CHECK (source IN ('direct', 'team')),
  CONSTRAINT project_members_years_1900_to_2999_check
    CHECK (least(joined_at, removed_at, created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(joined_at,
      removed_at, created_at, updated_at, deleted_at) < '3000-01-01Z'),
  CONSTRAINT project_members_zero_or_more_check CHECK (least(budget_seconds) >= 0),
  CONSTRAINT project_members_without_nan_check CHECK (greatest(pay_rate, bill_rate) < 'NaN')
);

CREATE UNIQUE INDEX project_members_live_key ON project_members (organization_id, project_id, user_id) WHERE deleted_at
  IS NULL;
CREATE INDEX project_members_organization_id_created_at_id_idx ON project_members (organization_id, created_at, id)
  WHERE deleted_at IS NULL;
CREATE INDEX project_members_organization_id_project_id_created_at_id_idx ON project_members (organization_id,
  project_id, created_at, id);
CREATE INDEX project_members_organization_id_team_id_idx ON project_members (organization_id, team_id) WHERE team_id IS
  NOT NULL;
CREATE INDEX project_members_organization_id_updated_at_id_idx ON project_members (organization_id, updated_at, id);
CREATE INDEX project_members_organization_id_user_id_project_id_idx ON project_members (organization_id, user_id,
  project_id);

ALTER TABLE project_members ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON project_members USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON project_members TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON project_members TO orgdata_writer;

CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.project_members FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON project_members IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.project_members FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE project_members IS 'A member of a project; a person is at most once in a project.';
COMMENT ON COLUMN project_members.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN project_members.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN project_members.project_id IS 'The project.';
COMMENT ON COLUMN project_members.user_id IS 'The member.';
COMMENT ON COLUMN project_members.role IS 'What the person may do in the project.';
COMMENT ON COLUMN project_members.source IS 'Whether the person was added directly or through a team.';
COMMENT ON COLUMN project_members.team_id IS 'The team through which the person was added; exactly if source is team.';
COMMENT ON COLUMN project_members.pay_rate IS 'Pay an hour in this project; null: that of payment_settings.';
COMMENT ON COLUMN project_members.bill_rate IS 'What an hour of this person costs the customer; null: that of the project.';
COMMENT ON COLUMN project_members.currency IS 'ISO 4217 code of the amounts of the row.';
COMMENT ON COLUMN project_members.budget_seconds IS 'Most seconds of this person in the project.';
COMMENT ON COLUMN project_members.joined_at IS 'When the person came into the project.';
COMMENT ON COLUMN project_members.removed_at IS 'When the person left it; is_active of the API is true while this is null.';
COMMENT ON COLUMN project_members.created_at IS 'When the row was made.';
COMMENT ON COLUMN project_members.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN project_members.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- tasks

CREATE TABLE tasks (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  project_id uuid NOT NULL,
  parent_task_id uuid,
  number integer,
  name text NOT NULL,
  description text,
  status text DEFAULT 'open' NOT NULL,
  priority text DEFAULT 'none' NOT NULL,
  is_billable boolean,
  estimate_seconds bigint,
  start_date date,
  due_date date,
  completed_at timestamptz(0),
  created_by_user_id uuid,
  external_id text,
  external_source text,
  labels text[] DEFAULT '{}' NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  report_changed_at timestamptz,
  CONSTRAINT tasks_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT tasks_organization_id_created_by_user_id_fkey
    FOREIGN KEY (organization_id, created_by_user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT tasks_organization_id_parent_task_id_fkey
    FOREIGN KEY (organization_id, parent_task_id) REFERENCES tasks (organization_id, id),
  CONSTRAINT tasks_organization_id_project_id_fkey
    FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id),
  CONSTRAINT tasks_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT tasks_priority_check CHECK (priority IN ('none', 'low', 'medium', 'high', 'urgent')),
  CONSTRAINT tasks_status_check CHECK (status IN ('open', 'in_progress', 'completed', 'archived')),
  CONSTRAINT tasks_years_1900_to_2999_check
    CHECK (least(completed_at, created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(completed_at,
      created_at, updated_at, deleted_at) < '3000-01-01Z'),
  CONSTRAINT tasks_years_1900_to_9999_check
    CHECK (least(start_date, due_date) >= '1900-01-01' AND greatest(start_date, due_date) <= '9999-12-31'),
  CONSTRAINT tasks_zero_or_more_check CHECK (least(number, estimate_seconds) >= 0),
  CONSTRAINT tasks_labels_without_null_check
    CHECK (CASE WHEN array_ndims(labels) > 1 THEN false ELSE array_position(labels, NULL) IS NULL END)
);

CREATE INDEX tasks_organization_id_created_at_id_idx ON tasks (organization_id, created_at, id) WHERE deleted_at IS
  NULL;
CREATE INDEX tasks_organization_id_external_id_idx ON tasks (organization_id, external_id);
CREATE INDEX tasks_organization_id_parent_task_id_idx ON tasks (organization_id, parent_task_id) WHERE parent_task_id IS
  NOT NULL;
CREATE INDEX tasks_organization_id_project_id_created_at_id_idx ON tasks (organization_id, project_id, created_at, id);
CREATE INDEX tasks_organization_id_updated_at_id_idx ON tasks (organization_id, updated_at, id);
CREATE INDEX tasks_organization_id_report_changed_at_idx ON tasks (organization_id, report_changed_at) WHERE
  report_changed_at IS NOT NULL;
CREATE INDEX tasks_deleted_idx ON tasks (organization_id, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX tasks_created_by_user_id_idx ON tasks (organization_id, created_by_user_id, created_at, id) WHERE
  created_by_user_id IS NOT NULL;
CREATE INDEX tasks_by_due_date_idx ON tasks (organization_id, (CASE WHEN (due_date IS NULL) THEN '9999-12-31' ELSE
  due_date END), id) WHERE deleted_at IS NULL;

ALTER TABLE tasks ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON tasks USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON tasks TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON tasks TO orgdata_writer;

CREATE FUNCTION public.cascade_deletion_of_tasks() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.deleted_at IS NULL THEN
    UPDATE public.tasks child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.parent_task_id = NEW.id AND child.deleted_at IS NULL;
    UPDATE public.task_members child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.task_id = NEW.id AND child.deleted_at IS NULL;
  ELSE
    UPDATE public.tasks child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.parent_task_id = NEW.id AND child.deleted_at = OLD.deleted_at;
    UPDATE public.task_members child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.task_id = NEW.id AND child.deleted_at = OLD.deleted_at;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER cascade_deletion AFTER UPDATE ON public.tasks FOR EACH ROW
  WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION public.cascade_deletion_of_tasks();
COMMENT ON TRIGGER cascade_deletion ON tasks IS 'CREATE OR REPLACE TRIGGER cascade_deletion AFTER UPDATE ON public.tasks FOR EACH ROW WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at) EXECUTE FUNCTION public.cascade_deletion_of_tasks()';
CREATE TRIGGER remember_report_change BEFORE UPDATE ON public.tasks FOR EACH ROW
  WHEN (ROW(OLD.name) IS DISTINCT FROM ROW(NEW.name))
  EXECUTE FUNCTION public.remember_report_change();
COMMENT ON TRIGGER remember_report_change ON tasks IS 'CREATE OR REPLACE TRIGGER remember_report_change BEFORE UPDATE ON public.tasks FOR EACH ROW WHEN (ROW(OLD.name) IS DISTINCT FROM ROW(NEW.name)) EXECUTE FUNCTION public.remember_report_change()';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.tasks FOR EACH ROW
  WHEN (ROW(OLD.organization_id, OLD.id, OLD.project_id, OLD.parent_task_id, OLD.number, OLD.name, OLD.description,
    OLD.status, OLD.priority, OLD.is_billable, OLD.estimate_seconds, OLD.start_date, OLD.due_date, OLD.completed_at,
    OLD.created_by_user_id, OLD.external_id, OLD.external_source, OLD.labels, OLD.created_at, OLD.updated_at,
    OLD.deleted_at) IS DISTINCT FROM ROW(NEW.organization_id, NEW.id, NEW.project_id, NEW.parent_task_id,
    NEW.number, NEW.name, NEW.description, NEW.status, NEW.priority, NEW.is_billable, NEW.estimate_seconds,
    NEW.start_date, NEW.due_date, NEW.completed_at, NEW.created_by_user_id, NEW.external_id, NEW.external_source,
    NEW.labels, NEW.created_at, NEW.updated_at, NEW.deleted_at))
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON tasks IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.tasks FOR EACH ROW WHEN (ROW(OLD.organization_id, OLD.id, OLD.project_id, OLD.parent_task_id, OLD.number, OLD.name, OLD.description, OLD.status, OLD.priority, OLD.is_billable, OLD.estimate_seconds, OLD.start_date, OLD.due_date, OLD.completed_at, OLD.created_by_user_id, OLD.external_id, OLD.external_source, OLD.labels, OLD.created_at, OLD.updated_at, OLD.deleted_at) IS DISTINCT FROM ROW(NEW.organization_id, NEW.id, NEW.project_id, NEW.parent_task_id, NEW.number, NEW.name, NEW.description, NEW.status, NEW.priority, NEW.is_billable, NEW.estimate_seconds, NEW.start_date, NEW.due_date, NEW.completed_at, NEW.created_by_user_id, NEW.external_id, NEW.external_source, NEW.labels, NEW.created_at, NEW.updated_at, NEW.deleted_at)) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE tasks IS 'A piece of work in a project, and perhaps in another task.';
COMMENT ON COLUMN tasks.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN tasks.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN tasks.project_id IS 'The project.';
COMMENT ON COLUMN tasks.parent_task_id IS 'The task that it is a part of.';
COMMENT ON COLUMN tasks.number IS 'Number in the project, as people call it.';
COMMENT ON COLUMN tasks.name IS 'Name that clients see. Erasure replaces the person''s name and e-mail address in it by `Former member`.';
COMMENT ON COLUMN tasks.description IS 'Free text. Erasure replaces the person''s name and e-mail address in it by `Former member`.';
COMMENT ON COLUMN tasks.status IS 'is_active of the API is true for open and in_progress.';
COMMENT ON COLUMN tasks.priority IS 'Urgency, for people.';
COMMENT ON COLUMN tasks.is_billable IS 'Null: that of the project.';
COMMENT ON COLUMN tasks.estimate_seconds IS 'Seconds that the work was estimated to take.';
COMMENT ON COLUMN tasks.start_date IS 'Calendar date, without a time zone.';
COMMENT ON COLUMN tasks.due_date IS 'Calendar date, without a time zone.';
COMMENT ON COLUMN tasks.completed_at IS 'When the work was completed.';
COMMENT ON COLUMN tasks.created_by_user_id IS 'Who made the task.';
COMMENT ON COLUMN tasks.external_id IS 'Id in the system that external_source names. Imports may name the row by it. Erasure keeps it.';
COMMENT ON COLUMN tasks.external_source IS 'The other system, such as jira. Erasure keeps it.';
COMMENT ON COLUMN tasks.labels IS 'Texts that group tasks. Erasure keeps it.';
COMMENT ON COLUMN tasks.created_at IS 'When the row was made.';
COMMENT ON COLUMN tasks.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN tasks.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';
COMMENT ON COLUMN tasks.report_changed_at IS 'When name last changed, which reports show; null: never. A trigger sets it.';

-- task_members

CREATE TABLE task_members (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  task_id uuid NOT NULL,
  user_id uuid NOT NULL,
  role text DEFAULT 'assignee' NOT NULL,
  assigned_at timestamptz(0) NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT task_members_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT task_members_organization_id_task_id_fkey
    FOREIGN KEY (organization_id, task_id) REFERENCES tasks (organization_id, id),
  CONSTRAINT task_members_organization_id_user_id_fkey
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT task_members_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT task_members_role_check CHECK (role IN ('assignee', 'watcher')),
  CONSTRAINT task_members_years_1900_to_2999_check
    CHECK (least(assigned_at, created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(assigned_at,
      created_at, updated_at, deleted_at) < '3000-01-01Z')
);

CREATE UNIQUE INDEX task_members_live_key ON task_members (organization_id, task_id, user_id) WHERE deleted_at IS NULL;
CREATE INDEX task_members_organization_id_task_id_created_at_id_idx ON task_members (organization_id, task_id,
  created_at, id);
CREATE INDEX task_members_organization_id_updated_at_id_idx ON task_members (organization_id, updated_at, id);
CREATE INDEX task_members_organization_id_user_id_task_id_idx ON task_members (organization_id, user_id, task_id);

ALTER TABLE task_members ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON task_members USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON task_members TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON task_members TO orgdata_writer;

CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.task_members FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON task_members IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.task_members FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE task_members IS 'A person who does or watches a task; at most once.';
COMMENT ON COLUMN task_members.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN task_members.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN task_members.task_id IS 'The task.';
COMMENT ON COLUMN task_members.user_id IS 'The person.';
COMMENT ON COLUMN task_members.role IS 'An assignee is in assignee_user_ids of the task.';
COMMENT ON COLUMN task_members.assigned_at IS 'When the person got the task.';
COMMENT ON COLUMN task_members.created_at IS 'When the row was made.';
COMMENT ON COLUMN task_members.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN task_members.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- api_keys

CREATE TABLE api_keys (
  public_id text NOT NULL,
  digest bytea NOT NULL,
  purpose text NOT NULL,
  organization_id uuid,
  organization_ids uuid[],
  scopes text[],
  label text DEFAULT '' NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz,
  trusted_documents_only boolean DEFAULT false NOT NULL,
  CONSTRAINT api_keys_pkey PRIMARY KEY (public_id),
  CONSTRAINT api_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT api_keys_organization_check CHECK ((purpose = 'internal') = (organization_id IS NULL)),
  CONSTRAINT api_keys_scopes_check CHECK ((purpose = 'mcp') = (scopes IS NOT NULL)),
  CONSTRAINT api_keys_internal_expires_check CHECK (purpose <> 'internal' OR expires_at IS NOT NULL),
  CONSTRAINT api_keys_purpose_check CHECK (purpose IN ('partner', 'mcp', 'internal')),
  CONSTRAINT api_keys_trusted_documents_only_check CHECK (purpose = 'internal' OR NOT trusted_documents_only)
);

ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON api_keys USING (public_id = current_setting('app.public_id', true));
CREATE POLICY owner ON api_keys TO CURRENT_USER USING (true);

GRANT SELECT ON api_keys TO orgdata_service;

COMMENT ON TABLE api_keys IS 'A key or token. Operators make it; the secret itself is not stored.';
COMMENT ON COLUMN api_keys.public_id IS 'The part of the key that is no secret.';
COMMENT ON COLUMN api_keys.digest IS 'SHA-256 of the secret.';
COMMENT ON COLUMN api_keys.purpose IS 'What the key opens.';
COMMENT ON COLUMN api_keys.organization_id IS 'The organization that it reads; null for internal tokens.';
COMMENT ON COLUMN api_keys.organization_ids IS 'Internal tokens: the organizations that they may read; null: all.';
COMMENT ON COLUMN api_keys.scopes IS 'MCP keys: what they may read, such as members:read.';
COMMENT ON COLUMN api_keys.label IS 'Who uses it; of an internal token, the team.';
COMMENT ON COLUMN api_keys.created_at IS 'When it was made.';
COMMENT ON COLUMN api_keys.expires_at IS 'When it ends; null: never.';
COMMENT ON COLUMN api_keys.revoked_at IS 'When it was revoked; null while it works.';
COMMENT ON COLUMN api_keys.trusted_documents_only IS 'Internal tokens: whether GraphQL executes nothing but the trusted documents of the team.';

-- quota_overrides

CREATE TABLE quota_overrides (
  organization_id uuid NOT NULL,
  resource_group text NOT NULL,
  request_limit integer NOT NULL,
  CONSTRAINT quota_overrides_pkey PRIMARY KEY (organization_id, resource_group),
  CONSTRAINT quota_overrides_organization_id_fkey
    FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT quota_overrides_request_limit_check CHECK (request_limit > 0)
);

ALTER TABLE quota_overrides ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON quota_overrides USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);
CREATE POLICY owner ON quota_overrides TO CURRENT_USER USING (true);

GRANT SELECT ON quota_overrides TO orgdata_service;

COMMENT ON TABLE quota_overrides IS 'Requests that an organization may make in a window, where they are not the default.';
COMMENT ON COLUMN quota_overrides.organization_id IS 'The organization.';
COMMENT ON COLUMN quota_overrides.resource_group IS 'Group of operations, such as members; empty: every group without a row of its own.';
COMMENT ON COLUMN quota_overrides.request_limit IS 'Requests per window.';

-- clock_records

CREATE TABLE clock_records (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  clock_in_at timestamptz(0) NOT NULL,
  clock_out_at timestamptz(0),
  status text DEFAULT 'open' NOT NULL,
  clock_in_source text DEFAULT 'web' NOT NULL,
  clock_out_source text,
  auto_clock_out_reason text,
  clock_in_note text,
  clock_out_note text,
  clock_in_location jsonb,
  clock_out_location jsonb,
  scheduled_start_at timestamptz(0),
  scheduled_end_at timestamptz(0),
  is_edited boolean DEFAULT false NOT NULL,
  edited_by_user_id uuid,
  project_id uuid,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  earlier_from timestamptz(0),
  earlier_until timestamptz(0),
  earlier_user_ids uuid[],
  CONSTRAINT clock_records_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT clock_records_organization_id_edited_by_user_id_fkey
    FOREIGN KEY (organization_id, edited_by_user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT clock_records_organization_id_project_id_fkey
    FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id),
  CONSTRAINT clock_records_organization_id_user_id_fkey
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT clock_records_organization_id_fkey
    FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT clock_records_open_check CHECK ((status = 'open') = (clock_out_at IS NULL)),
  CONSTRAINT clock_records_auto_clock_out_reason_check
    CHECK (auto_clock_out_reason IN ('shift_ended', 'daily_limit', 'inactivity', 'midnight', 'geofence_exit',
      'system')),
  CONSTRAINT clock_records_auto_closed_check CHECK (auto_clock_out_reason IS NULL OR status = 'auto_closed'),
  CONSTRAINT clock_records_clock_in_source_check
    CHECK (clock_in_source IN ('desktop', 'web', 'mobile', 'kiosk', 'api', 'admin', 'system')),
  CONSTRAINT clock_records_clock_out_source_check
    CHECK (clock_out_source IN ('desktop', 'web', 'mobile', 'kiosk', 'api', 'admin', 'system')),
  CONSTRAINT clock_records_status_check CHECK (status IN ('open', 'closed', 'auto_closed')),
  CONSTRAINT clock_records_interval_check CHECK (clock_out_at > clock_in_at),
  CONSTRAINT clock_records_years_1900_to_2999_check
    CHECK (least(clock_in_at, clock_out_at, scheduled_start_at, scheduled_end_at, created_at, updated_at, deleted_at)
      >= '1900-01-01Z' AND greatest(clock_in_at, clock_out_at, scheduled_start_at, scheduled_end_at, created_at,
      updated_at, deleted_at) < '3000-01-01Z'),
  CONSTRAINT clock_records_clock_in_location_is_place_check
    CHECK (jsonb_typeof(clock_in_location) = 'object' AND NOT jsonb_path_exists(clock_in_location,
      '$ ? (@.latitude.type() != "string" || @.longitude.type() != "string" || !exists(@.latitude ? (@ like_regex "^-?[0-9]+([.][0-9]+)?$")) || !exists(@.longitude ? (@ like_regex "^-?[0-9]+([.][0-9]+)?$")) || @.label.type() != "string" && @.label.type() != "null" || @.accuracy_meters.type() != "null" && !exists(@.accuracy_meters ? (@.floor() == @ && @ >= 0 && @ < 2147483648)))')),
  CONSTRAINT clock_records_clock_out_location_is_place_check
    CHECK (jsonb_typeof(clock_out_location) = 'object' AND NOT jsonb_path_exists(clock_out_location,
      '$ ? (@.latitude.type() != "string" || @.longitude.type() != "string" || !exists(@.latitude ? (@ like_regex "^-?[0-9]+([.][0-9]+)?$")) || !exists(@.longitude ? (@ like_regex "^-?[0-9]+([.][0-9]+)?$")) || @.label.type() != "string" && @.label.type() != "null" || @.accuracy_meters.type() != "null" && !exists(@.accuracy_meters ? (@.floor() == @ && @ >= 0 && @ < 2147483648)))')),
  CONSTRAINT clock_records_scheduled_check CHECK (scheduled_end_at > scheduled_start_at)
);

CREATE INDEX clock_records_organization_id_updated_at_id_idx ON clock_records (organization_id, updated_at, id);
CREATE INDEX clock_records_organization_id_user_id_clock_in_at_id_idx ON clock_records (organization_id, user_id,
  clock_in_at, id);
CREATE INDEX clock_records_organization_id_clock_in_at_id_idx ON clock_records (organization_id, clock_in_at, id);
CREATE INDEX clock_records_open_idx ON clock_records (organization_id, clock_in_at, id) WHERE status = 'open';
CREATE INDEX clock_records_organization_id_user_id_updated_at_idx ON clock_records (organization_id, user_id,
  updated_at) INCLUDE (earlier_from, earlier_until) WHERE earlier_from IS NOT NULL;
CREATE INDEX clock_records_organization_id_updated_at_idx ON clock_records (organization_id, updated_at) WHERE
  earlier_user_ids IS NOT NULL;
CREATE INDEX clock_records_unfinished_idx ON clock_records (organization_id, user_id, clock_in_at) WHERE clock_out_at IS
  NULL AND deleted_at IS NULL;
CREATE INDEX clock_records_changes_idx ON clock_records (organization_id, user_id, updated_at, clock_in_at);
CREATE INDEX clock_records_project_id_idx ON clock_records (organization_id, project_id, clock_in_at, id) WHERE
  project_id IS NOT NULL;

ALTER TABLE clock_records ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON clock_records USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON clock_records TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON clock_records TO orgdata_writer;

CREATE FUNCTION public.cascade_deletion_of_clock_records() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.deleted_at IS NULL THEN
    UPDATE public.break_times child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.clock_record_id = NEW.id AND child.deleted_at IS NULL;
  ELSE
    UPDATE public.break_times child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.clock_record_id = NEW.id AND child.deleted_at = OLD.deleted_at;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER cascade_deletion AFTER UPDATE ON public.clock_records FOR EACH ROW
  WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION public.cascade_deletion_of_clock_records();
COMMENT ON TRIGGER cascade_deletion ON clock_records IS 'CREATE OR REPLACE TRIGGER cascade_deletion AFTER UPDATE ON public.clock_records FOR EACH ROW WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at) EXECUTE FUNCTION public.cascade_deletion_of_clock_records()';
CREATE TRIGGER remember_place BEFORE UPDATE ON public.clock_records FOR EACH ROW
  WHEN (ROW(OLD.clock_in_at, OLD.user_id) IS DISTINCT FROM ROW(NEW.clock_in_at, NEW.user_id))
  EXECUTE FUNCTION public.remember_place('clock_in_at');
COMMENT ON TRIGGER remember_place ON clock_records IS 'CREATE OR REPLACE TRIGGER remember_place BEFORE UPDATE ON public.clock_records FOR EACH ROW WHEN (ROW(OLD.clock_in_at, OLD.user_id) IS DISTINCT FROM ROW(NEW.clock_in_at, NEW.user_id)) EXECUTE FUNCTION public.remember_place(''clock_in_at'')';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.clock_records FOR EACH ROW
  WHEN (ROW(OLD.organization_id, OLD.id, OLD.user_id, OLD.clock_in_at, OLD.clock_out_at, OLD.status,
    OLD.clock_in_source, OLD.clock_out_source, OLD.auto_clock_out_reason, OLD.clock_in_note, OLD.clock_out_note,
    OLD.clock_in_location, OLD.clock_out_location, OLD.scheduled_start_at, OLD.scheduled_end_at, OLD.is_edited,
    OLD.edited_by_user_id, OLD.project_id, OLD.created_at, OLD.updated_at, OLD.deleted_at) IS DISTINCT FROM
    ROW(NEW.organization_id, NEW.id, NEW.user_id, NEW.clock_in_at, NEW.clock_out_at, NEW.status,
    NEW.clock_in_source, NEW.clock_out_source, NEW.auto_clock_out_reason, NEW.clock_in_note, NEW.clock_out_note,
    NEW.clock_in_location, NEW.clock_out_location, NEW.scheduled_start_at, NEW.scheduled_end_at, NEW.is_edited,
    NEW.edited_by_user_id, NEW.project_id, NEW.created_at, NEW.updated_at, NEW.deleted_at))
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON clock_records IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.clock_records FOR EACH ROW WHEN (ROW(OLD.organization_id, OLD.id, OLD.user_id, OLD.clock_in_at, OLD.clock_out_at, OLD.status, OLD.clock_in_source, OLD.clock_out_source, OLD.auto_clock_out_reason, OLD.clock_in_note, OLD.clock_out_note, OLD.clock_in_location, OLD.clock_out_location, OLD.scheduled_start_at, OLD.scheduled_end_at, OLD.is_edited, OLD.edited_by_user_id, OLD.project_id, OLD.created_at, OLD.updated_at, OLD.deleted_at) IS DISTINCT FROM ROW(NEW.organization_id, NEW.id, NEW.user_id, NEW.clock_in_at, NEW.clock_out_at, NEW.status, NEW.clock_in_source, NEW.clock_out_source, NEW.auto_clock_out_reason, NEW.clock_in_note, NEW.clock_out_note, NEW.clock_in_location, NEW.clock_out_location, NEW.scheduled_start_at, NEW.scheduled_end_at, NEW.is_edited, NEW.edited_by_user_id, NEW.project_id, NEW.created_at, NEW.updated_at, NEW.deleted_at)) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE clock_records IS 'Attendance of a person, from clocking in to clocking out. Rows of one person do not overlap.';
COMMENT ON COLUMN clock_records.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN clock_records.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN clock_records.user_id IS 'Whose attendance it is.';
COMMENT ON COLUMN clock_records.clock_in_at IS 'Start; its local day is the date of the record.';
COMMENT ON COLUMN clock_records.clock_out_at IS 'End; null while the record is open.';
COMMENT ON COLUMN clock_records.status IS 'open exactly while clock_out_at is null.';
COMMENT ON COLUMN clock_records.clock_in_source IS 'Where the person clocked in.';
COMMENT ON COLUMN clock_records.clock_out_source IS 'Where the person clocked out.';
COMMENT ON COLUMN clock_records.auto_clock_out_reason IS 'Why the system closed it; only if status is auto_closed.';
COMMENT ON COLUMN clock_records.clock_in_note IS 'Note of the person. Erasure makes it null.';
COMMENT ON COLUMN clock_records.clock_out_note IS 'Note of the person. Erasure makes it null.';
COMMENT ON COLUMN clock_records.clock_in_location IS 'Object with latitude and longitude (decimal strings), accuracy_meters, label. Erasure makes it null.';
COMMENT ON COLUMN clock_records.clock_out_location IS 'Object with latitude and longitude (decimal strings), accuracy_meters, label. Erasure makes it null.';
COMMENT ON COLUMN clock_records.scheduled_start_at IS 'Planned start; late_seconds of the API is counted from it.';
COMMENT ON COLUMN clock_records.scheduled_end_at IS 'Planned end; early_leave_seconds of the API is counted from it.';
COMMENT ON COLUMN clock_records.is_edited IS 'Whether it was changed by hand.';
COMMENT ON COLUMN clock_records.edited_by_user_id IS 'Who changed it.';
COMMENT ON COLUMN clock_records.project_id IS 'The project of the shift.';
COMMENT ON COLUMN clock_records.created_at IS 'When the row was made.';
COMMENT ON COLUMN clock_records.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN clock_records.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';
COMMENT ON COLUMN clock_records.earlier_from IS 'Earliest start before the row moved; null: it never did. A trigger sets it.';
COMMENT ON COLUMN clock_records.earlier_until IS 'Latest start before the row moved; null: it never did. A trigger sets it.';
COMMENT ON COLUMN clock_records.earlier_user_ids IS 'Whose it was before; null: of no other person. A trigger sets it.';

-- break_times

CREATE TABLE break_times (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  started_at timestamptz(0) NOT NULL,
  ended_at timestamptz(0),
  clock_record_id uuid,
  is_paid boolean DEFAULT false NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  earlier_from timestamptz(0),
  earlier_until timestamptz(0),
  earlier_user_ids uuid[],
  CONSTRAINT break_times_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT break_times_organization_id_clock_record_id_fkey
    FOREIGN KEY (organization_id, clock_record_id) REFERENCES clock_records (organization_id, id),
  CONSTRAINT break_times_organization_id_user_id_fkey
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT break_times_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT break_times_longest_check CHECK (ended_at - started_at <= interval '24 hours'),
  CONSTRAINT break_times_interval_check CHECK (ended_at > started_at),
  CONSTRAINT break_times_years_1900_to_2999_check
    CHECK (least(started_at, ended_at, created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(started_at,
      ended_at, created_at, updated_at, deleted_at) < '3000-01-01Z')
);

CREATE INDEX break_times_organization_id_clock_record_id_idx ON break_times (organization_id, clock_record_id) WHERE
  clock_record_id IS NOT NULL;
CREATE INDEX break_times_organization_id_user_id_started_at_id_idx ON break_times (organization_id, user_id, started_at,
  id);
CREATE INDEX break_times_organization_id_user_id_updated_at_started_at_idx ON break_times (organization_id, user_id,
  updated_at, started_at);
CREATE INDEX break_times_organization_id_user_id_updated_at_idx ON break_times (organization_id, user_id, updated_at)
  INCLUDE (earlier_from, earlier_until) WHERE earlier_from IS NOT NULL;
CREATE INDEX break_times_organization_id_updated_at_idx ON break_times (organization_id, updated_at) WHERE
  earlier_user_ids IS NOT NULL;
CREATE INDEX break_times_unfinished_idx ON break_times (organization_id, user_id, started_at) WHERE ended_at IS NULL AND
  deleted_at IS NULL;
CREATE INDEX break_times_changed_idx ON break_times (organization_id, updated_at) INCLUDE (user_id, started_at,
  earlier_from, earlier_until);

ALTER TABLE break_times ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON break_times USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON break_times TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON break_times TO orgdata_writer;

CREATE TRIGGER remember_place BEFORE UPDATE ON public.break_times FOR EACH ROW
  WHEN (ROW(OLD.started_at, OLD.user_id) IS DISTINCT FROM ROW(NEW.started_at, NEW.user_id))
  EXECUTE FUNCTION public.remember_place('started_at');
COMMENT ON TRIGGER remember_place ON break_times IS 'CREATE OR REPLACE TRIGGER remember_place BEFORE UPDATE ON public.break_times FOR EACH ROW WHEN (ROW(OLD.started_at, OLD.user_id) IS DISTINCT FROM ROW(NEW.started_at, NEW.user_id)) EXECUTE FUNCTION public.remember_place(''started_at'')';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.break_times FOR EACH ROW
  WHEN (ROW(OLD.organization_id, OLD.id, OLD.user_id, OLD.started_at, OLD.ended_at, OLD.clock_record_id, OLD.is_paid,
    OLD.created_at, OLD.updated_at, OLD.deleted_at) IS DISTINCT FROM ROW(NEW.organization_id, NEW.id, NEW.user_id,
    NEW.started_at, NEW.ended_at, NEW.clock_record_id, NEW.is_paid, NEW.created_at, NEW.updated_at, NEW.deleted_at))
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON break_times IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.break_times FOR EACH ROW WHEN (ROW(OLD.organization_id, OLD.id, OLD.user_id, OLD.started_at, OLD.ended_at, OLD.clock_record_id, OLD.is_paid, OLD.created_at, OLD.updated_at, OLD.deleted_at) IS DISTINCT FROM ROW(NEW.organization_id, NEW.id, NEW.user_id, NEW.started_at, NEW.ended_at, NEW.clock_record_id, NEW.is_paid, NEW.created_at, NEW.updated_at, NEW.deleted_at)) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE break_times IS 'A break of a person, with or without a clock record. Rows of one person do not overlap.';
COMMENT ON COLUMN break_times.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN break_times.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN break_times.user_id IS 'Whose break it is.';
COMMENT ON COLUMN break_times.started_at IS 'Start; the interval includes it.';
COMMENT ON COLUMN break_times.ended_at IS 'End, excluded; null while it lasts.';
COMMENT ON COLUMN break_times.clock_record_id IS 'The attendance that it interrupts.';
COMMENT ON COLUMN break_times.is_paid IS 'Whether it counts in paid_break_seconds; unpaid breaks are subtracted from worked_seconds. Time in a paid and an unpaid break is unpaid.';
COMMENT ON COLUMN break_times.created_at IS 'When the row was made.';
COMMENT ON COLUMN break_times.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN break_times.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';
COMMENT ON COLUMN break_times.earlier_from IS 'Earliest start before the row moved; null: it never did. A trigger sets it.';
COMMENT ON COLUMN break_times.earlier_until IS 'Latest start before the row moved; null: it never did. A trigger sets it.';
COMMENT ON COLUMN break_times.earlier_user_ids IS 'Whose it was before; null: of no other person. A trigger sets it.';

-- timesheets

CREATE TABLE timesheets (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  project_id uuid,
  task_id uuid,
  started_at timestamptz(0) NOT NULL,
  ended_at timestamptz(0),
  tracked_until timestamptz(0) NOT NULL,
  kind text DEFAULT 'automatic' NOT NULL,
  source text DEFAULT 'desktop' NOT NULL,
  is_billable boolean DEFAULT false NOT NULL,
  is_locked boolean DEFAULT false NOT NULL,
  note text,
  tags text[] DEFAULT '{}' NOT NULL,
  input_seconds integer DEFAULT 0 NOT NULL,
  active_seconds integer DEFAULT 0 NOT NULL,
  keyboard_seconds integer DEFAULT 0 NOT NULL,
  mouse_seconds integer DEFAULT 0 NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  earlier_from timestamptz(0),
  earlier_until timestamptz(0),
  earlier_user_ids uuid[],
  CONSTRAINT timesheets_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT timesheets_organization_id_project_id_fkey
    FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id),
  CONSTRAINT timesheets_organization_id_task_id_fkey
    FOREIGN KEY (organization_id, task_id) REFERENCES tasks (organization_id, id),
  CONSTRAINT timesheets_organization_id_user_id_fkey
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT timesheets_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT timesheets_longest_check CHECK (coalesce(ended_at, tracked_until) - started_at <= interval '24 hours'),
  CONSTRAINT timesheets_kind_check CHECK (kind IN ('automatic', 'manual')),
  CONSTRAINT timesheets_source_check CHECK (source IN ('desktop', 'web', 'mobile', 'kiosk', 'api', 'admin', 'system')),
  CONSTRAINT timesheets_active_seconds_check CHECK (active_seconds BETWEEN 0 AND input_seconds),
  CONSTRAINT timesheets_interval_check CHECK (ended_at > started_at),
  CONSTRAINT timesheets_keyboard_seconds_check CHECK (keyboard_seconds BETWEEN 0 AND input_seconds),
  CONSTRAINT timesheets_mouse_seconds_check CHECK (mouse_seconds BETWEEN 0 AND input_seconds),
  CONSTRAINT timesheets_tracked_until_check CHECK (tracked_until >= started_at),
  CONSTRAINT timesheets_years_1900_to_2999_check
    CHECK (least(started_at, ended_at, tracked_until, created_at, updated_at, deleted_at) >= '1900-01-01Z' AND
      greatest(started_at, ended_at, tracked_until, created_at, updated_at, deleted_at) < '3000-01-01Z'),
  CONSTRAINT timesheets_zero_or_more_check
    CHECK (least(input_seconds, active_seconds, keyboard_seconds, mouse_seconds) >= 0),
  CONSTRAINT timesheets_tags_without_null_check
    CHECK (CASE WHEN array_ndims(tags) > 1 THEN false ELSE array_position(tags, NULL) IS NULL END)
);

CREATE INDEX timesheets_organization_id_user_id_started_at_id_idx ON timesheets (organization_id, user_id, started_at,
  id) INCLUDE (ended_at, tracked_until, project_id, task_id, kind, is_billable, is_locked, input_seconds,
  active_seconds, keyboard_seconds, mouse_seconds, updated_at, deleted_at);
CREATE INDEX timesheets_organization_id_user_id_updated_at_idx ON timesheets (organization_id, user_id, updated_at)
  INCLUDE (earlier_from, earlier_until) WHERE earlier_from IS NOT NULL;
CREATE INDEX timesheets_organization_id_updated_at_idx ON timesheets (organization_id, updated_at) WHERE
  earlier_user_ids IS NOT NULL;
CREATE INDEX timesheets_unfinished_idx ON timesheets (organization_id, user_id, started_at) WHERE ended_at IS NULL AND
  deleted_at IS NULL;
CREATE INDEX timesheets_organization_id_user_id_updated_at_started_at_idx ON timesheets (organization_id, user_id,
  updated_at, started_at) INCLUDE (earlier_from, earlier_until);
CREATE INDEX timesheets_changed_idx ON timesheets (organization_id, updated_at) INCLUDE (user_id, started_at,
  earlier_from, earlier_until);
CREATE INDEX timesheets_project_id_idx ON timesheets (organization_id, project_id, started_at) WHERE project_id IS NOT
  NULL;
CREATE INDEX timesheets_task_id_idx ON timesheets (organization_id, task_id, started_at) WHERE task_id IS NOT NULL;

ALTER TABLE timesheets ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON timesheets USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON timesheets TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON timesheets TO orgdata_writer;

CREATE FUNCTION public.cascade_deletion_of_timesheets() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.deleted_at IS NULL THEN
    UPDATE public.idle_times child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.timesheet_id = NEW.id AND child.user_id = NEW.user_id AND child.started_at >= NEW.started_at AND child.started_at < NEW.started_at + interval '24 hours' AND child.deleted_at IS NULL;
    UPDATE public.activity_slots child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.timesheet_id = NEW.id AND child.user_id = NEW.user_id AND child.slot_at > NEW.started_at - interval '15 minutes' AND child.slot_at < NEW.started_at + interval '24 hours' AND child.deleted_at IS NULL;
    UPDATE public.app_usages child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.timesheet_id = NEW.id AND child.user_id = NEW.user_id AND child.slot_at > NEW.started_at - interval '15 minutes' AND child.slot_at < NEW.started_at + interval '24 hours' AND child.deleted_at IS NULL;
    UPDATE public.url_usages child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.timesheet_id = NEW.id AND child.user_id = NEW.user_id AND child.slot_at > NEW.started_at - interval '15 minutes' AND child.slot_at < NEW.started_at + interval '24 hours' AND child.deleted_at IS NULL;
  ELSE
    UPDATE public.idle_times child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.timesheet_id = NEW.id AND child.user_id = NEW.user_id AND child.started_at >= NEW.started_at AND child.started_at < NEW.started_at + interval '24 hours' AND child.deleted_at = OLD.deleted_at;
    UPDATE public.activity_slots child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.timesheet_id = NEW.id AND child.user_id = NEW.user_id AND child.slot_at > NEW.started_at - interval '15 minutes' AND child.slot_at < NEW.started_at + interval '24 hours' AND child.deleted_at = OLD.deleted_at;
    UPDATE public.app_usages child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.timesheet_id = NEW.id AND child.user_id = NEW.user_id AND child.slot_at > NEW.started_at - interval '15 minutes' AND child.slot_at < NEW.started_at + interval '24 hours' AND child.deleted_at = OLD.deleted_at;
    UPDATE public.url_usages child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.timesheet_id = NEW.id AND child.user_id = NEW.user_id AND child.slot_at > NEW.started_at - interval '15 minutes' AND child.slot_at < NEW.started_at + interval '24 hours' AND child.deleted_at = OLD.deleted_at;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER cascade_deletion AFTER UPDATE ON public.timesheets FOR EACH ROW
  WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION public.cascade_deletion_of_timesheets();
COMMENT ON TRIGGER cascade_deletion ON timesheets IS 'CREATE OR REPLACE TRIGGER cascade_deletion AFTER UPDATE ON public.timesheets FOR EACH ROW WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at) EXECUTE FUNCTION public.cascade_deletion_of_timesheets()';
CREATE TRIGGER remember_place BEFORE UPDATE ON public.timesheets FOR EACH ROW
  WHEN (ROW(OLD.started_at, OLD.user_id) IS DISTINCT FROM ROW(NEW.started_at, NEW.user_id))
  EXECUTE FUNCTION public.remember_place('started_at');
COMMENT ON TRIGGER remember_place ON timesheets IS 'CREATE OR REPLACE TRIGGER remember_place BEFORE UPDATE ON public.timesheets FOR EACH ROW WHEN (ROW(OLD.started_at, OLD.user_id) IS DISTINCT FROM ROW(NEW.started_at, NEW.user_id)) EXECUTE FUNCTION public.remember_place(''started_at'')';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.timesheets FOR EACH ROW
  WHEN (ROW(OLD.organization_id, OLD.id, OLD.user_id, OLD.project_id, OLD.task_id, OLD.started_at, OLD.ended_at,
    OLD.tracked_until, OLD.kind, OLD.source, OLD.is_billable, OLD.is_locked, OLD.input_seconds, OLD.active_seconds,
    OLD.keyboard_seconds, OLD.mouse_seconds, OLD.created_at, OLD.updated_at, OLD.deleted_at) IS DISTINCT FROM
    ROW(NEW.organization_id, NEW.id, NEW.user_id, NEW.project_id, NEW.task_id, NEW.started_at, NEW.ended_at,
    NEW.tracked_until, NEW.kind, NEW.source, NEW.is_billable, NEW.is_locked, NEW.input_seconds, NEW.active_seconds,
    NEW.keyboard_seconds, NEW.mouse_seconds, NEW.created_at, NEW.updated_at, NEW.deleted_at))
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON timesheets IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.timesheets FOR EACH ROW WHEN (ROW(OLD.organization_id, OLD.id, OLD.user_id, OLD.project_id, OLD.task_id, OLD.started_at, OLD.ended_at, OLD.tracked_until, OLD.kind, OLD.source, OLD.is_billable, OLD.is_locked, OLD.input_seconds, OLD.active_seconds, OLD.keyboard_seconds, OLD.mouse_seconds, OLD.created_at, OLD.updated_at, OLD.deleted_at) IS DISTINCT FROM ROW(NEW.organization_id, NEW.id, NEW.user_id, NEW.project_id, NEW.task_id, NEW.started_at, NEW.ended_at, NEW.tracked_until, NEW.kind, NEW.source, NEW.is_billable, NEW.is_locked, NEW.input_seconds, NEW.active_seconds, NEW.keyboard_seconds, NEW.mouse_seconds, NEW.created_at, NEW.updated_at, NEW.deleted_at)) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE timesheets IS 'Uninterrupted time of one person: tracked, or manual and approved. Rows of one person do not overlap.';
COMMENT ON COLUMN timesheets.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN timesheets.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN timesheets.user_id IS 'Whose time it is.';
COMMENT ON COLUMN timesheets.project_id IS 'The project; null: none.';
COMMENT ON COLUMN timesheets.task_id IS 'The task, which is of the same project; null: none.';
COMMENT ON COLUMN timesheets.started_at IS 'Start; the interval includes it.';
COMMENT ON COLUMN timesheets.ended_at IS 'End, excluded; null while the timer runs. At most 24 hours after the start: split longer time.';
COMMENT ON COLUMN timesheets.tracked_until IS 'Last heartbeat: a running timer counts until then and never until now. The end after it.';
COMMENT ON COLUMN timesheets.kind IS 'Manual time is counted in tracked_seconds and in manual_seconds.';
COMMENT ON COLUMN timesheets.source IS 'Which program recorded it.';
COMMENT ON COLUMN timesheets.is_billable IS 'Whether the customer pays for it.';
COMMENT ON COLUMN timesheets.is_locked IS 'Whether its pay period is closed; writers must not change it then.';
COMMENT ON COLUMN timesheets.input_seconds IS 'Seconds in which input was captured.';
COMMENT ON COLUMN timesheets.active_seconds IS 'Those of them with any input.';
COMMENT ON COLUMN timesheets.keyboard_seconds IS 'Those of them with keyboard input.';
COMMENT ON COLUMN timesheets.mouse_seconds IS 'Those of them with mouse input.';
COMMENT ON COLUMN timesheets.created_at IS 'When the row was made.';
COMMENT ON COLUMN timesheets.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN timesheets.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';
COMMENT ON COLUMN timesheets.earlier_from IS 'Earliest start before the row moved; null: it never did. A trigger sets it.';
COMMENT ON COLUMN timesheets.earlier_until IS 'Latest start before the row moved; null: it never did. A trigger sets it.';
COMMENT ON COLUMN timesheets.earlier_user_ids IS 'Whose it was before; null: of no other person. A trigger sets it.';

-- activity_slots

CREATE TABLE activity_slots (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  slot_at timestamptz(0) NOT NULL,
  timesheet_id uuid NOT NULL,
  input_seconds integer DEFAULT 0 NOT NULL,
  active_seconds integer DEFAULT 0 NOT NULL,
  keyboard_seconds integer DEFAULT 0 NOT NULL,
  mouse_seconds integer DEFAULT 0 NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT activity_slots_pkey PRIMARY KEY (organization_id, user_id, slot_at, timesheet_id),
  CONSTRAINT activity_slots_organization_id_timesheet_id_fkey
    FOREIGN KEY (organization_id, timesheet_id) REFERENCES timesheets (organization_id, id),
  CONSTRAINT activity_slots_organization_id_user_id_fkey
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT activity_slots_organization_id_fkey
    FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT activity_slots_active_seconds_check CHECK (active_seconds BETWEEN 0 AND input_seconds),
  CONSTRAINT activity_slots_slot_at_check CHECK (extract(epoch FROM slot_at) % 900 = 0),
  CONSTRAINT activity_slots_input_seconds_check CHECK (input_seconds <= 900),
  CONSTRAINT activity_slots_keyboard_seconds_check CHECK (keyboard_seconds BETWEEN 0 AND input_seconds),
  CONSTRAINT activity_slots_mouse_seconds_check CHECK (mouse_seconds BETWEEN 0 AND input_seconds),
  CONSTRAINT activity_slots_years_1900_to_2999_check
    CHECK (least(slot_at, created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(slot_at, created_at,
      updated_at, deleted_at) < '3000-01-01Z'),
  CONSTRAINT activity_slots_zero_or_more_check
    CHECK (least(input_seconds, active_seconds, keyboard_seconds, mouse_seconds) >= 0)
);

CREATE INDEX activity_slots_organization_id_user_id_updated_at_slot_at_idx ON activity_slots (organization_id, user_id,
  updated_at, slot_at);
CREATE INDEX activity_slots_changed_idx ON activity_slots (organization_id, updated_at) INCLUDE (user_id, slot_at,
  timesheet_id);

ALTER TABLE activity_slots ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON activity_slots USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON activity_slots TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON activity_slots TO orgdata_writer;

CREATE TRIGGER refuse_move BEFORE UPDATE ON public.activity_slots FOR EACH ROW
  WHEN (ROW(OLD.user_id, OLD.slot_at, OLD.timesheet_id) IS DISTINCT FROM ROW(NEW.user_id, NEW.slot_at,
    NEW.timesheet_id))
  EXECUTE FUNCTION public.refuse_move('user_id', 'slot_at', 'timesheet_id');
COMMENT ON TRIGGER refuse_move ON activity_slots IS 'CREATE OR REPLACE TRIGGER refuse_move BEFORE UPDATE ON public.activity_slots FOR EACH ROW WHEN (ROW(OLD.user_id, OLD.slot_at, OLD.timesheet_id) IS DISTINCT FROM ROW(NEW.user_id, NEW.slot_at, NEW.timesheet_id)) EXECUTE FUNCTION public.refuse_move(''user_id'', ''slot_at'', ''timesheet_id'')';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.activity_slots FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON activity_slots IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.activity_slots FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE activity_slots IS 'Input of a person in a quarter of an hour of a timesheet. Reports divide time over midnight by it.';
COMMENT ON COLUMN activity_slots.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN activity_slots.user_id IS 'The person of the timesheet.';
COMMENT ON COLUMN activity_slots.slot_at IS 'Start of the quarter of an hour, in UTC: a quarter lies in one local day of every zone.';
COMMENT ON COLUMN activity_slots.timesheet_id IS 'The timesheet, which overlaps the slot.';
COMMENT ON COLUMN activity_slots.input_seconds IS 'Seconds in which input was captured.';
COMMENT ON COLUMN activity_slots.active_seconds IS 'Those of them with any input.';
COMMENT ON COLUMN activity_slots.keyboard_seconds IS 'Those of them with keyboard input.';
COMMENT ON COLUMN activity_slots.mouse_seconds IS 'Those of them with mouse input.';
COMMENT ON COLUMN activity_slots.created_at IS 'When the row was made.';
COMMENT ON COLUMN activity_slots.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN activity_slots.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- idle_times

CREATE TABLE idle_times (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  timesheet_id uuid NOT NULL,
  user_id uuid NOT NULL,
  started_at timestamptz(0) NOT NULL,
  ended_at timestamptz(0) NOT NULL,
  action text DEFAULT 'pending' NOT NULL,
  reassigned_project_id uuid,
  reassigned_task_id uuid,
  reason text,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  earlier_from timestamptz(0),
  earlier_until timestamptz(0),
  earlier_user_ids uuid[],
  CONSTRAINT idle_times_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT idle_times_organization_id_reassigned_project_id_fkey
    FOREIGN KEY (organization_id, reassigned_project_id) REFERENCES projects (organization_id, id),
  CONSTRAINT idle_times_organization_id_reassigned_task_id_fkey
    FOREIGN KEY (organization_id, reassigned_task_id) REFERENCES tasks (organization_id, id),
  CONSTRAINT idle_times_organization_id_timesheet_id_fkey
    FOREIGN KEY (organization_id, timesheet_id) REFERENCES timesheets (organization_id, id),
  CONSTRAINT idle_times_organization_id_user_id_fkey
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT idle_times_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT idle_times_reassigned_check
    CHECK (action = 'reassigned' OR (reassigned_project_id IS NULL AND reassigned_task_id IS NULL)),
  CONSTRAINT idle_times_action_check CHECK (action IN ('kept', 'discarded', 'reassigned', 'pending')),
  CONSTRAINT idle_times_longest_check CHECK (ended_at - started_at <= interval '24 hours'),
  CONSTRAINT idle_times_interval_check CHECK (ended_at > started_at),
  CONSTRAINT idle_times_years_1900_to_2999_check
    CHECK (least(started_at, ended_at, created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(started_at,
      ended_at, created_at, updated_at, deleted_at) < '3000-01-01Z')
);

CREATE INDEX idle_times_organization_id_timesheet_id_started_at_id_idx ON idle_times (organization_id, timesheet_id,
  started_at, id);
CREATE INDEX idle_times_organization_id_user_id_started_at_id_idx ON idle_times (organization_id, user_id, started_at,
  id);
CREATE INDEX idle_times_organization_id_user_id_updated_at_started_at_idx ON idle_times (organization_id, user_id,
  updated_at, started_at);
CREATE INDEX idle_times_organization_id_user_id_updated_at_idx ON idle_times (organization_id, user_id, updated_at)
  INCLUDE (earlier_from, earlier_until) WHERE earlier_from IS NOT NULL;
CREATE INDEX idle_times_organization_id_updated_at_idx ON idle_times (organization_id, updated_at) WHERE
  earlier_user_ids IS NOT NULL;
CREATE INDEX idle_times_unfinished_idx ON idle_times (organization_id, user_id, started_at) WHERE action = 'pending' AND
  deleted_at IS NULL;
CREATE INDEX idle_times_changed_idx ON idle_times (organization_id, updated_at) INCLUDE (user_id, started_at,
  earlier_from, earlier_until, timesheet_id);

ALTER TABLE idle_times ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON idle_times USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON idle_times TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON idle_times TO orgdata_writer;

CREATE TRIGGER remember_place BEFORE UPDATE ON public.idle_times FOR EACH ROW
  WHEN (ROW(OLD.started_at, OLD.user_id) IS DISTINCT FROM ROW(NEW.started_at, NEW.user_id))
  EXECUTE FUNCTION public.remember_place('started_at');
COMMENT ON TRIGGER remember_place ON idle_times IS 'CREATE OR REPLACE TRIGGER remember_place BEFORE UPDATE ON public.idle_times FOR EACH ROW WHEN (ROW(OLD.started_at, OLD.user_id) IS DISTINCT FROM ROW(NEW.started_at, NEW.user_id)) EXECUTE FUNCTION public.remember_place(''started_at'')';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.idle_times FOR EACH ROW
  WHEN (ROW(OLD.organization_id, OLD.id, OLD.timesheet_id, OLD.user_id, OLD.started_at, OLD.ended_at, OLD.action,
    OLD.reassigned_project_id, OLD.reassigned_task_id, OLD.reason, OLD.created_at, OLD.updated_at, OLD.deleted_at)
    IS DISTINCT FROM ROW(NEW.organization_id, NEW.id, NEW.timesheet_id, NEW.user_id, NEW.started_at, NEW.ended_at,
    NEW.action, NEW.reassigned_project_id, NEW.reassigned_task_id, NEW.reason, NEW.created_at, NEW.updated_at,
    NEW.deleted_at))
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON idle_times IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.idle_times FOR EACH ROW WHEN (ROW(OLD.organization_id, OLD.id, OLD.timesheet_id, OLD.user_id, OLD.started_at, OLD.ended_at, OLD.action, OLD.reassigned_project_id, OLD.reassigned_task_id, OLD.reason, OLD.created_at, OLD.updated_at, OLD.deleted_at) IS DISTINCT FROM ROW(NEW.organization_id, NEW.id, NEW.timesheet_id, NEW.user_id, NEW.started_at, NEW.ended_at, NEW.action, NEW.reassigned_project_id, NEW.reassigned_task_id, NEW.reason, NEW.created_at, NEW.updated_at, NEW.deleted_at)) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE idle_times IS 'Time without input in a timesheet. Pending counts as kept; discarded and reassigned time is not tracked time.';
COMMENT ON COLUMN idle_times.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN idle_times.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN idle_times.timesheet_id IS 'The timesheet, in whose interval it lies.';
COMMENT ON COLUMN idle_times.user_id IS 'The person of the timesheet.';
COMMENT ON COLUMN idle_times.started_at IS 'Start; the interval includes it.';
COMMENT ON COLUMN idle_times.ended_at IS 'End, excluded.';
COMMENT ON COLUMN idle_times.action IS 'What the person decided; a report is not final while one is pending.';
COMMENT ON COLUMN idle_times.reassigned_project_id IS 'Where reassigned time went; null for other actions.';
COMMENT ON COLUMN idle_times.reassigned_task_id IS 'Where reassigned time went; null for other actions.';
COMMENT ON COLUMN idle_times.reason IS 'What the person gave as the reason. Erasure makes it null.';
COMMENT ON COLUMN idle_times.created_at IS 'When the row was made.';
COMMENT ON COLUMN idle_times.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN idle_times.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';
COMMENT ON COLUMN idle_times.earlier_from IS 'Earliest start before the row moved; null: it never did. A trigger sets it.';
COMMENT ON COLUMN idle_times.earlier_until IS 'Latest start before the row moved; null: it never did. A trigger sets it.';
COMMENT ON COLUMN idle_times.earlier_user_ids IS 'Whose it was before; null: of no other person. A trigger sets it.';

-- manual_requests

CREATE TABLE manual_requests (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  project_id uuid,
  task_id uuid,
  started_at timestamptz(0) NOT NULL,
  ended_at timestamptz(0) NOT NULL,
  action text DEFAULT 'added' NOT NULL,
  original_started_at timestamptz(0),
  original_ended_at timestamptz(0),
  original_project_id uuid,
  is_billable boolean DEFAULT false NOT NULL,
  reason text,
  note text,
  status text DEFAULT 'pending' NOT NULL,
  requested_by_user_id uuid NOT NULL,
  requested_at timestamptz(0) NOT NULL,
  reviewed_by_user_id uuid,
  reviewed_at timestamptz(0),
  review_note text,
  timesheet_id uuid,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  earlier_from timestamptz(0),
  earlier_until timestamptz(0),
  earlier_user_ids uuid[],
  CONSTRAINT manual_requests_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT manual_requests_organization_id_original_project_id_fkey
    FOREIGN KEY (organization_id, original_project_id) REFERENCES projects (organization_id, id),
  CONSTRAINT manual_requests_organization_id_project_id_fkey
    FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id),
  CONSTRAINT manual_requests_organization_id_requested_by_user_id_fkey
    FOREIGN KEY (organization_id, requested_by_user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT manual_requests_organization_id_reviewed_by_user_id_fkey
    FOREIGN KEY (organization_id, reviewed_by_user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT manual_requests_organization_id_task_id_fkey
    FOREIGN KEY (organization_id, task_id) REFERENCES tasks (organization_id, id),
  CONSTRAINT manual_requests_organization_id_timesheet_id_fkey
    FOREIGN KEY (organization_id, timesheet_id) REFERENCES timesheets (organization_id, id),
  CONSTRAINT manual_requests_organization_id_user_id_fkey
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT manual_requests_organization_id_fkey
    FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT manual_requests_edited_check
    CHECK ((original_started_at IS NULL) = (original_ended_at IS NULL) AND (action <> 'edited' OR original_started_at
      IS NOT NULL)),
  CONSTRAINT manual_requests_action_check CHECK (action IN ('added', 'edited', 'deleted')),
  CONSTRAINT manual_requests_longest_check CHECK (ended_at - started_at <= interval '24 hours'),
  CONSTRAINT manual_requests_status_check CHECK (status IN ('pending', 'approved', 'rejected', 'cancelled')),
  CONSTRAINT manual_requests_interval_check CHECK (ended_at > started_at),
  CONSTRAINT manual_requests_original_check CHECK (original_ended_at > original_started_at),
  CONSTRAINT manual_requests_years_1900_to_2999_check
    CHECK (least(started_at, ended_at, original_started_at, original_ended_at, requested_at, reviewed_at, created_at,
      updated_at, deleted_at) >= '1900-01-01Z' AND greatest(started_at, ended_at, original_started_at,
      original_ended_at, requested_at, reviewed_at, created_at, updated_at, deleted_at) < '3000-01-01Z')
);

CREATE INDEX manual_requests_organization_id_status_started_at_id_idx ON manual_requests (organization_id, status,
  started_at, id);
CREATE INDEX manual_requests_organization_id_updated_at_id_idx ON manual_requests (organization_id, updated_at, id);
CREATE INDEX manual_requests_organization_id_user_id_started_at_id_idx ON manual_requests (organization_id, user_id,
  started_at, id);
CREATE INDEX manual_requests_organization_id_started_at_id_idx ON manual_requests (organization_id, started_at, id);
CREATE INDEX manual_requests_organization_id_user_id_updated_at_star_58a0 ON manual_requests (organization_id, user_id,
  updated_at, started_at);
CREATE INDEX manual_requests_organization_id_user_id_updated_at_idx ON manual_requests (organization_id, user_id,
  updated_at) INCLUDE (earlier_from, earlier_until) WHERE earlier_from IS NOT NULL;
CREATE INDEX manual_requests_organization_id_updated_at_idx ON manual_requests (organization_id, updated_at) WHERE
  earlier_user_ids IS NOT NULL;
CREATE INDEX manual_requests_unfinished_idx ON manual_requests (organization_id, user_id, started_at) WHERE status =
  'pending' AND deleted_at IS NULL;
CREATE INDEX manual_requests_project_id_idx ON manual_requests (organization_id, project_id, started_at, id) WHERE
  project_id IS NOT NULL;
CREATE INDEX manual_requests_task_id_idx ON manual_requests (organization_id, task_id, started_at, id) WHERE task_id IS
  NOT NULL;
CREATE INDEX manual_requests_timesheet_id_idx ON manual_requests (organization_id, timesheet_id, started_at, id) WHERE
  timesheet_id IS NOT NULL;
CREATE INDEX manual_requests_reviewed_by_user_id_idx ON manual_requests (organization_id, reviewed_by_user_id,
  started_at, id) WHERE reviewed_by_user_id IS NOT NULL;

ALTER TABLE manual_requests ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON manual_requests USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON manual_requests TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON manual_requests TO orgdata_writer;

CREATE TRIGGER remember_place BEFORE UPDATE ON public.manual_requests FOR EACH ROW
  WHEN (ROW(OLD.started_at, OLD.original_started_at, OLD.user_id) IS DISTINCT FROM ROW(NEW.started_at,
    NEW.original_started_at, NEW.user_id))
  EXECUTE FUNCTION public.remember_place('started_at', 'original_started_at');
COMMENT ON TRIGGER remember_place ON manual_requests IS 'CREATE OR REPLACE TRIGGER remember_place BEFORE UPDATE ON public.manual_requests FOR EACH ROW WHEN (ROW(OLD.started_at, OLD.original_started_at, OLD.user_id) IS DISTINCT FROM ROW(NEW.started_at, NEW.original_started_at, NEW.user_id)) EXECUTE FUNCTION public.remember_place(''started_at'', ''original_started_at'')';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.manual_requests FOR EACH ROW
  WHEN (ROW(OLD.organization_id, OLD.id, OLD.user_id, OLD.project_id, OLD.task_id, OLD.started_at, OLD.ended_at,
    OLD.action, OLD.original_started_at, OLD.original_ended_at, OLD.original_project_id, OLD.is_billable,
    OLD.reason, OLD.note, OLD.status, OLD.requested_by_user_id, OLD.requested_at, OLD.reviewed_by_user_id,
    OLD.reviewed_at, OLD.review_note, OLD.timesheet_id, OLD.created_at, OLD.updated_at, OLD.deleted_at) IS DISTINCT
    FROM ROW(NEW.organization_id, NEW.id, NEW.user_id, NEW.project_id, NEW.task_id, NEW.started_at, NEW.ended_at,
    NEW.action, NEW.original_started_at, NEW.original_ended_at, NEW.original_project_id, NEW.is_billable,
    NEW.reason, NEW.note, NEW.status, NEW.requested_by_user_id, NEW.requested_at, NEW.reviewed_by_user_id,
    NEW.reviewed_at, NEW.review_note, NEW.timesheet_id, NEW.created_at, NEW.updated_at, NEW.deleted_at))
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON manual_requests IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.manual_requests FOR EACH ROW WHEN (ROW(OLD.organization_id, OLD.id, OLD.user_id, OLD.project_id, OLD.task_id, OLD.started_at, OLD.ended_at, OLD.action, OLD.original_started_at, OLD.original_ended_at, OLD.original_project_id, OLD.is_billable, OLD.reason, OLD.note, OLD.status, OLD.requested_by_user_id, OLD.requested_at, OLD.reviewed_by_user_id, OLD.reviewed_at, OLD.review_note, OLD.timesheet_id, OLD.created_at, OLD.updated_at, OLD.deleted_at) IS DISTINCT FROM ROW(NEW.organization_id, NEW.id, NEW.user_id, NEW.project_id, NEW.task_id, NEW.started_at, NEW.ended_at, NEW.action, NEW.original_started_at, NEW.original_ended_at, NEW.original_project_id, NEW.is_billable, NEW.reason, NEW.note, NEW.status, NEW.requested_by_user_id, NEW.requested_at, NEW.reviewed_by_user_id, NEW.reviewed_at, NEW.review_note, NEW.timesheet_id, NEW.created_at, NEW.updated_at, NEW.deleted_at)) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE manual_requests IS 'A request to add, edit or delete time by hand. Time counts only through the timesheet of an approved one.';
COMMENT ON COLUMN manual_requests.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN manual_requests.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN manual_requests.user_id IS 'Whose time it is.';
COMMENT ON COLUMN manual_requests.project_id IS 'The project that is asked for.';
COMMENT ON COLUMN manual_requests.task_id IS 'The task that is asked for.';
COMMENT ON COLUMN manual_requests.started_at IS 'Start that is asked for; its local day is the date of the row.';
COMMENT ON COLUMN manual_requests.ended_at IS 'End that is asked for, excluded.';
COMMENT ON COLUMN manual_requests.action IS 'What is asked for.';
COMMENT ON COLUMN manual_requests.original_started_at IS 'Start before an edit or a deletion.';
COMMENT ON COLUMN manual_requests.original_ended_at IS 'End before an edit or a deletion.';
COMMENT ON COLUMN manual_requests.original_project_id IS 'Project before an edit or a deletion.';
COMMENT ON COLUMN manual_requests.is_billable IS 'Whether the customer is to pay for it.';
COMMENT ON COLUMN manual_requests.reason IS 'Why it was not tracked. Erasure makes it null.';
COMMENT ON COLUMN manual_requests.note IS 'Free text. Erasure makes it null.';
COMMENT ON COLUMN manual_requests.status IS 'Reports are not final while a request of their days is pending.';
COMMENT ON COLUMN manual_requests.requested_by_user_id IS 'Who asked: the person, or a manager.';
COMMENT ON COLUMN manual_requests.requested_at IS 'When it was asked for.';
COMMENT ON COLUMN manual_requests.reviewed_by_user_id IS 'Who decided.';
COMMENT ON COLUMN manual_requests.reviewed_at IS 'When it was decided.';
COMMENT ON COLUMN manual_requests.review_note IS 'What the reviewer gave as the reason. Erasure makes it null.';
COMMENT ON COLUMN manual_requests.timesheet_id IS 'The timesheet that the approved request made or changed.';
COMMENT ON COLUMN manual_requests.created_at IS 'When the row was made.';
COMMENT ON COLUMN manual_requests.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN manual_requests.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';
COMMENT ON COLUMN manual_requests.earlier_from IS 'Earliest start before the row moved; null: it never did. A trigger sets it.';
COMMENT ON COLUMN manual_requests.earlier_until IS 'Latest start before the row moved; null: it never did. A trigger sets it.';
COMMENT ON COLUMN manual_requests.earlier_user_ids IS 'Whose it was before; null: of no other person. A trigger sets it.';

-- apps

CREATE TABLE apps (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  category text,
  productivity text DEFAULT 'unrated' NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  report_changed_at timestamptz,
  CONSTRAINT apps_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT apps_organization_id_name_key UNIQUE (organization_id, name),
  CONSTRAINT apps_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT apps_productivity_check CHECK (productivity IN ('productive', 'neutral', 'unproductive', 'unrated')),
  CONSTRAINT apps_years_1900_to_2999_check
    CHECK (least(created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(created_at, updated_at, deleted_at)
      < '3000-01-01Z')
);

CREATE INDEX apps_organization_id_report_changed_at_idx ON apps (organization_id, report_changed_at) WHERE
  report_changed_at IS NOT NULL;

ALTER TABLE apps ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON apps USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON apps TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON apps TO orgdata_writer;

CREATE TRIGGER remember_report_change BEFORE UPDATE ON public.apps FOR EACH ROW
  WHEN (ROW(OLD.name, OLD.category, OLD.productivity) IS DISTINCT FROM ROW(NEW.name, NEW.category, NEW.productivity))
  EXECUTE FUNCTION public.remember_report_change();
COMMENT ON TRIGGER remember_report_change ON apps IS 'CREATE OR REPLACE TRIGGER remember_report_change BEFORE UPDATE ON public.apps FOR EACH ROW WHEN (ROW(OLD.name, OLD.category, OLD.productivity) IS DISTINCT FROM ROW(NEW.name, NEW.category, NEW.productivity)) EXECUTE FUNCTION public.remember_report_change()';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.apps FOR EACH ROW
  WHEN (ROW(OLD.organization_id, OLD.id, OLD.name, OLD.category, OLD.productivity, OLD.created_at, OLD.updated_at,
    OLD.deleted_at) IS DISTINCT FROM ROW(NEW.organization_id, NEW.id, NEW.name, NEW.category, NEW.productivity,
    NEW.created_at, NEW.updated_at, NEW.deleted_at))
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON apps IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.apps FOR EACH ROW WHEN (ROW(OLD.organization_id, OLD.id, OLD.name, OLD.category, OLD.productivity, OLD.created_at, OLD.updated_at, OLD.deleted_at) IS DISTINCT FROM ROW(NEW.organization_id, NEW.id, NEW.name, NEW.category, NEW.productivity, NEW.created_at, NEW.updated_at, NEW.deleted_at)) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE apps IS 'An application that people use, with its rating. Usage of one name is one row of a report.';
COMMENT ON COLUMN apps.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN apps.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN apps.name IS 'Name after normalisation, unique in the organization. Erasure replaces it if no other person used it, and it is not rated.';
COMMENT ON COLUMN apps.category IS 'Free text, such as Design or News.';
COMMENT ON COLUMN apps.productivity IS 'How reports count the use of it.';
COMMENT ON COLUMN apps.created_at IS 'When the row was made.';
COMMENT ON COLUMN apps.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN apps.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';
COMMENT ON COLUMN apps.report_changed_at IS 'When name or category or productivity last changed, which reports show; null: never. A trigger sets it.';

-- domains

CREATE TABLE domains (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  category text,
  productivity text DEFAULT 'unrated' NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  report_changed_at timestamptz,
  CONSTRAINT domains_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT domains_organization_id_name_key UNIQUE (organization_id, name),
  CONSTRAINT domains_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT domains_productivity_check CHECK (productivity IN ('productive', 'neutral', 'unproductive', 'unrated')),
  CONSTRAINT domains_name_check CHECK (name = lower(name)),
  CONSTRAINT domains_years_1900_to_2999_check
    CHECK (least(created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(created_at, updated_at, deleted_at)
      < '3000-01-01Z')
);

CREATE INDEX domains_organization_id_report_changed_at_idx ON domains (organization_id, report_changed_at) WHERE
  report_changed_at IS NOT NULL;

ALTER TABLE domains ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON domains USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON domains TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON domains TO orgdata_writer;

CREATE TRIGGER remember_report_change BEFORE UPDATE ON public.domains FOR EACH ROW
  WHEN (ROW(OLD.name, OLD.category, OLD.productivity) IS DISTINCT FROM ROW(NEW.name, NEW.category, NEW.productivity))
  EXECUTE FUNCTION public.remember_report_change();
COMMENT ON TRIGGER remember_report_change ON domains IS 'CREATE OR REPLACE TRIGGER remember_report_change BEFORE UPDATE ON public.domains FOR EACH ROW WHEN (ROW(OLD.name, OLD.category, OLD.productivity) IS DISTINCT FROM ROW(NEW.name, NEW.category, NEW.productivity)) EXECUTE FUNCTION public.remember_report_change()';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.domains FOR EACH ROW
  WHEN (ROW(OLD.organization_id, OLD.id, OLD.name, OLD.category, OLD.productivity, OLD.created_at, OLD.updated_at,
    OLD.deleted_at) IS DISTINCT FROM ROW(NEW.organization_id, NEW.id, NEW.name, NEW.category, NEW.productivity,
    NEW.created_at, NEW.updated_at, NEW.deleted_at))
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON domains IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.domains FOR EACH ROW WHEN (ROW(OLD.organization_id, OLD.id, OLD.name, OLD.category, OLD.productivity, OLD.created_at, OLD.updated_at, OLD.deleted_at) IS DISTINCT FROM ROW(NEW.organization_id, NEW.id, NEW.name, NEW.category, NEW.productivity, NEW.created_at, NEW.updated_at, NEW.deleted_at)) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE domains IS 'A site that people visit, with its rating. Visits of one domain are one row of a report.';
COMMENT ON COLUMN domains.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN domains.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN domains.name IS 'Registrable host in lower case and punycode, unique in the organization. Erasure replaces it if no other person used it, and it is not rated.';
COMMENT ON COLUMN domains.category IS 'Free text, such as Design or News.';
COMMENT ON COLUMN domains.productivity IS 'How reports count the use of it.';
COMMENT ON COLUMN domains.created_at IS 'When the row was made.';
COMMENT ON COLUMN domains.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN domains.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';
COMMENT ON COLUMN domains.report_changed_at IS 'When name or category or productivity last changed, which reports show; null: never. A trigger sets it.';

-- url_pages

CREATE TABLE url_pages (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  domain_id uuid NOT NULL,
  url text NOT NULL,
  title text,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  report_changed_at timestamptz,
  CONSTRAINT url_pages_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT url_pages_organization_id_domain_id_fkey
    FOREIGN KEY (organization_id, domain_id) REFERENCES domains (organization_id, id),
  CONSTRAINT url_pages_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT url_pages_url_check CHECK (url ~ '^[a-z][a-z0-9+.-]*://[^/?#@]+(/[^?#]*)?$'),
  CONSTRAINT url_pages_years_1900_to_2999_check
    CHECK (least(created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(created_at, updated_at, deleted_at)
      < '3000-01-01Z')
);

CREATE INDEX url_pages_organization_id_report_changed_at_idx ON url_pages (organization_id, report_changed_at) WHERE
  report_changed_at IS NOT NULL;

ALTER TABLE url_pages ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON url_pages USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON url_pages TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON url_pages TO orgdata_writer;

CREATE TRIGGER remember_report_change BEFORE UPDATE ON public.url_pages FOR EACH ROW
  WHEN (ROW(OLD.url, OLD.title) IS DISTINCT FROM ROW(NEW.url, NEW.title))
  EXECUTE FUNCTION public.remember_report_change();
COMMENT ON TRIGGER remember_report_change ON url_pages IS 'CREATE OR REPLACE TRIGGER remember_report_change BEFORE UPDATE ON public.url_pages FOR EACH ROW WHEN (ROW(OLD.url, OLD.title) IS DISTINCT FROM ROW(NEW.url, NEW.title)) EXECUTE FUNCTION public.remember_report_change()';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.url_pages FOR EACH ROW
  WHEN (ROW(OLD.organization_id, OLD.id, OLD.domain_id, OLD.url, OLD.title, OLD.created_at, OLD.updated_at,
    OLD.deleted_at) IS DISTINCT FROM ROW(NEW.organization_id, NEW.id, NEW.domain_id, NEW.url, NEW.title,
    NEW.created_at, NEW.updated_at, NEW.deleted_at))
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON url_pages IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.url_pages FOR EACH ROW WHEN (ROW(OLD.organization_id, OLD.id, OLD.domain_id, OLD.url, OLD.title, OLD.created_at, OLD.updated_at, OLD.deleted_at) IS DISTINCT FROM ROW(NEW.organization_id, NEW.id, NEW.domain_id, NEW.url, NEW.title, NEW.created_at, NEW.updated_at, NEW.deleted_at)) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE url_pages IS 'A page of a site. It holds no user, query or fragment, because these can be secrets.';
COMMENT ON COLUMN url_pages.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN url_pages.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN url_pages.domain_id IS 'The site.';
COMMENT ON COLUMN url_pages.url IS 'Scheme, host and path. Erasure replaces it if no other person used it.';
COMMENT ON COLUMN url_pages.title IS 'Title of the page. Erasure replaces it if no other person used it.';
COMMENT ON COLUMN url_pages.created_at IS 'When the row was made.';
COMMENT ON COLUMN url_pages.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN url_pages.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';
COMMENT ON COLUMN url_pages.report_changed_at IS 'When url or title last changed, which reports show; null: never. A trigger sets it.';

-- app_usages

CREATE TABLE app_usages (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  slot_at timestamptz(0) NOT NULL,
  app_id uuid NOT NULL,
  timesheet_id uuid NOT NULL,
  duration_seconds integer NOT NULL,
  active_seconds integer DEFAULT 0 NOT NULL,
  sessions_count integer DEFAULT 1 NOT NULL,
  first_at timestamptz(0) NOT NULL,
  last_at timestamptz(0) NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT app_usages_pkey
    PRIMARY KEY (organization_id, user_id, slot_at, app_id, timesheet_id) INCLUDE (duration_seconds, active_seconds,
      sessions_count, first_at, last_at, updated_at, deleted_at),
  CONSTRAINT app_usages_organization_id_app_id_fkey
    FOREIGN KEY (organization_id, app_id) REFERENCES apps (organization_id, id),
  CONSTRAINT app_usages_organization_id_timesheet_id_fkey
    FOREIGN KEY (organization_id, timesheet_id) REFERENCES timesheets (organization_id, id),
  CONSTRAINT app_usages_organization_id_user_id_fkey
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT app_usages_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT app_usages_active_seconds_check CHECK (active_seconds BETWEEN 0 AND duration_seconds),
  CONSTRAINT app_usages_duration_seconds_check CHECK (duration_seconds BETWEEN 0 AND 900),
  CONSTRAINT app_usages_first_at_check CHECK (first_at <= last_at),
  CONSTRAINT app_usages_slot_at_check CHECK (mod(extract(epoch from slot_at), 900) = 0),
  CONSTRAINT app_usages_sessions_count_check CHECK (sessions_count >= 0),
  CONSTRAINT app_usages_years_1900_to_2999_check
    CHECK (least(slot_at, first_at, last_at, created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(slot_at,
      first_at, last_at, created_at, updated_at, deleted_at) < '3000-01-01Z'),
  CONSTRAINT app_usages_zero_or_more_check CHECK (least(duration_seconds, active_seconds, sessions_count) >= 0)
);

CREATE INDEX app_usages_organization_id_user_id_updated_at_slot_at_idx ON app_usages (organization_id, user_id,
  updated_at, slot_at);
CREATE INDEX app_usages_organization_id_app_id_slot_at_idx ON app_usages (organization_id, app_id, slot_at);

ALTER TABLE app_usages ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON app_usages USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON app_usages TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON app_usages TO orgdata_writer;

CREATE TRIGGER refuse_move BEFORE UPDATE ON public.app_usages FOR EACH ROW
  WHEN (ROW(OLD.user_id, OLD.slot_at) IS DISTINCT FROM ROW(NEW.user_id, NEW.slot_at))
  EXECUTE FUNCTION public.refuse_move('user_id', 'slot_at');
COMMENT ON TRIGGER refuse_move ON app_usages IS 'CREATE OR REPLACE TRIGGER refuse_move BEFORE UPDATE ON public.app_usages FOR EACH ROW WHEN (ROW(OLD.user_id, OLD.slot_at) IS DISTINCT FROM ROW(NEW.user_id, NEW.slot_at)) EXECUTE FUNCTION public.refuse_move(''user_id'', ''slot_at'')';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.app_usages FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON app_usages IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.app_usages FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE app_usages IS 'Use of an application by a person in a quarter of an hour of a timesheet.';
COMMENT ON COLUMN app_usages.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN app_usages.user_id IS 'The person of the timesheet.';
COMMENT ON COLUMN app_usages.slot_at IS 'Start of the quarter of an hour, in UTC.';
COMMENT ON COLUMN app_usages.app_id IS 'The application.';
COMMENT ON COLUMN app_usages.timesheet_id IS 'The timesheet, which overlaps the slot.';
COMMENT ON COLUMN app_usages.duration_seconds IS 'Seconds in which it was in front, at most 900.';
COMMENT ON COLUMN app_usages.active_seconds IS 'Those of them with input.';
COMMENT ON COLUMN app_usages.sessions_count IS 'How often it came to the front.';
COMMENT ON COLUMN app_usages.first_at IS 'First use in the slot.';
COMMENT ON COLUMN app_usages.last_at IS 'Last use in the slot.';
COMMENT ON COLUMN app_usages.created_at IS 'When the row was made.';
COMMENT ON COLUMN app_usages.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN app_usages.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- screenshots

CREATE TABLE screenshots (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  timesheet_id uuid,
  project_id uuid,
  task_id uuid,
  captured_at timestamptz(0) NOT NULL,
  screen_index integer DEFAULT 0 NOT NULL,
  status text DEFAULT 'processing' NOT NULL,
  object_key text,
  thumbnail_key text,
  content_type text DEFAULT 'image/jpeg' NOT NULL,
  width integer,
  height integer,
  size_bytes bigint,
  is_blurred boolean DEFAULT false NOT NULL,
  activity_percent integer,
  app_name text,
  deleted_by_user_id uuid,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT screenshots_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT screenshots_organization_id_deleted_by_user_id_fkey
    FOREIGN KEY (organization_id, deleted_by_user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT screenshots_organization_id_project_id_fkey
    FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id),
  CONSTRAINT screenshots_organization_id_task_id_fkey
    FOREIGN KEY (organization_id, task_id) REFERENCES tasks (organization_id, id),
  CONSTRAINT screenshots_organization_id_timesheet_id_fkey
    FOREIGN KEY (organization_id, timesheet_id) REFERENCES timesheets (organization_id, id),
  CONSTRAINT screenshots_organization_id_user_id_fkey
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT screenshots_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT screenshots_object_key_check CHECK (status <> 'available' OR object_key IS NOT NULL),
  CONSTRAINT screenshots_status_check CHECK (status IN ('available', 'deleted', 'expired', 'processing')),
  CONSTRAINT screenshots_activity_percent_check CHECK (activity_percent BETWEEN 0 AND 100),
  CONSTRAINT screenshots_years_1900_to_2999_check
    CHECK (least(captured_at, created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(captured_at,
      created_at, updated_at, deleted_at) < '3000-01-01Z'),
  CONSTRAINT screenshots_zero_or_more_check
    CHECK (least(screen_index, width, height, size_bytes, activity_percent) >= 0),
  CONSTRAINT screenshots_size_bytes_check CHECK (size_bytes < 2147483648)
);

CREATE INDEX screenshots_organization_id_user_id_captured_at_screen__a885 ON screenshots (organization_id, user_id,
  captured_at, screen_index, id) WHERE deleted_at IS NULL;
CREATE INDEX screenshots_organization_id_updated_at_id_idx ON screenshots (organization_id, updated_at, id);
CREATE INDEX screenshots_deleted_idx ON screenshots (organization_id, user_id, captured_at) WHERE deleted_at IS NOT
  NULL;

ALTER TABLE screenshots ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON screenshots USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON screenshots TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON screenshots TO orgdata_writer;

CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.screenshots FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON screenshots IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.screenshots FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE screenshots IS 'A screenshot of a person: where its images are stored, not the images themselves.';
COMMENT ON COLUMN screenshots.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN screenshots.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN screenshots.user_id IS 'Whose screen it is.';
COMMENT ON COLUMN screenshots.timesheet_id IS 'The timesheet in which it was taken.';
COMMENT ON COLUMN screenshots.project_id IS 'The project of that timesheet.';
COMMENT ON COLUMN screenshots.task_id IS 'The task of that timesheet.';
COMMENT ON COLUMN screenshots.captured_at IS 'When it was taken; its local day decides in which list it is.';
COMMENT ON COLUMN screenshots.screen_index IS 'Number of the screen, from 0.';
COMMENT ON COLUMN screenshots.status IS 'URLs are signed only for available ones. Erasure makes it `deleted`.';
COMMENT ON COLUMN screenshots.object_key IS 'Key of the image in the object store; required if available. Erasure lists it for deletion, and makes it null.';
COMMENT ON COLUMN screenshots.thumbnail_key IS 'Key of the small image in the object store. Erasure lists it for deletion, and makes it null.';
COMMENT ON COLUMN screenshots.content_type IS 'Media type of the image. Erasure keeps it.';
COMMENT ON COLUMN screenshots.width IS 'Pixels.';
COMMENT ON COLUMN screenshots.height IS 'Pixels.';
COMMENT ON COLUMN screenshots.size_bytes IS 'Bytes of the image.';
COMMENT ON COLUMN screenshots.is_blurred IS 'Whether the image was made unreadable.';
COMMENT ON COLUMN screenshots.activity_percent IS 'Seconds with input in a hundred, around the time of the screenshot.';
COMMENT ON COLUMN screenshots.app_name IS 'The application in front. Erasure makes it null.';
COMMENT ON COLUMN screenshots.deleted_by_user_id IS 'Who deleted the image.';
COMMENT ON COLUMN screenshots.created_at IS 'When the row was made.';
COMMENT ON COLUMN screenshots.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN screenshots.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- suspicious_activity_logs

CREATE TABLE suspicious_activity_logs (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  type text NOT NULL,
  severity text NOT NULL,
  confidence_percent integer,
  started_at timestamptz(0) NOT NULL,
  ended_at timestamptz(0) NOT NULL,
  timesheet_id uuid,
  project_id uuid,
  evidence jsonb DEFAULT '{}' NOT NULL,
  status text DEFAULT 'open' NOT NULL,
  reviewed_by_user_id uuid,
  reviewed_at timestamptz(0),
  review_note text,
  deducted_seconds integer DEFAULT 0 NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT suspicious_activity_logs_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT suspicious_activity_logs_organization_id_project_id_fkey
    FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id),
  CONSTRAINT suspicious_activity_logs_organization_id_reviewed_by_us_e467
    FOREIGN KEY (organization_id, reviewed_by_user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT suspicious_activity_logs_organization_id_timesheet_id_fkey
    FOREIGN KEY (organization_id, timesheet_id) REFERENCES timesheets (organization_id, id),
  CONSTRAINT suspicious_activity_logs_organization_id_user_id_fkey
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT suspicious_activity_logs_organization_id_fkey
    FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT suspicious_activity_logs_severity_check CHECK (severity IN ('low', 'medium', 'high')),
  CONSTRAINT suspicious_activity_logs_status_check CHECK (status IN ('open', 'confirmed', 'dismissed')),
  CONSTRAINT suspicious_activity_logs_type_check
    CHECK (type IN ('mouse_jiggler', 'auto_clicker', 'key_repeat', 'constant_activity', 'single_input_only',
      'no_input_while_tracking', 'suspicious_app', 'remote_or_virtual_machine', 'clock_tampering',
      'duplicate_screenshot', 'location_mismatch', 'other')),
  CONSTRAINT suspicious_activity_logs_confidence_percent_check CHECK (confidence_percent BETWEEN 0 AND 100),
  CONSTRAINT suspicious_activity_logs_deducted_seconds_check CHECK (deducted_seconds >= 0),
  CONSTRAINT suspicious_activity_logs_started_at_check CHECK (started_at <= ended_at),
  CONSTRAINT suspicious_activity_logs_years_1900_to_2999_check
    CHECK (least(started_at, ended_at, reviewed_at, created_at, updated_at, deleted_at) >= '1900-01-01Z' AND
      greatest(started_at, ended_at, reviewed_at, created_at, updated_at, deleted_at) < '3000-01-01Z'),
  CONSTRAINT suspicious_activity_logs_zero_or_more_check CHECK (least(confidence_percent, deducted_seconds) >= 0),
  CONSTRAINT suspicious_activity_logs_evidence_is_known_check
    CHECK (jsonb_typeof(evidence) = 'object' AND NOT jsonb_path_exists(evidence,
      '$ ? (exists(@.app_names[*] ? (@.type() != "string")) || exists(@.screenshot_ids[*] ? (@.type() != "string" || !(@ like_regex "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"))) || @.app_names.type() != "array" && @.app_names.type() != "null" || @.screenshot_ids.type() != "array" && @.screenshot_ids.type() != "null" || @.keyboard_seconds.type() != "number" && @.keyboard_seconds.type() != "null" || @.mouse_seconds.type() != "number" && @.mouse_seconds.type() != "null" || @.active_seconds.type() != "number" && @.active_seconds.type() != "null" || @.tracked_seconds.type() != "number" && @.tracked_seconds.type() != "null")'))
);

CREATE INDEX suspicious_activity_logs_organization_id_created_at_id_idx ON suspicious_activity_logs (organization_id,
  created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX suspicious_activity_logs_organization_id_started_at_id_idx ON suspicious_activity_logs (organization_id,
  started_at, id);
CREATE INDEX suspicious_activity_logs_organization_id_updated_at_id_idx ON suspicious_activity_logs (organization_id,
  updated_at, id);
CREATE INDEX suspicious_activity_logs_organization_id_user_id_create_2b33 ON suspicious_activity_logs (organization_id,
  user_id, created_at, id);
CREATE INDEX suspicious_activity_logs_timesheet_id_idx ON suspicious_activity_logs (organization_id, timesheet_id,
  created_at, id) WHERE timesheet_id IS NOT NULL;
CREATE INDEX suspicious_activity_logs_project_id_idx ON suspicious_activity_logs (organization_id, project_id,
  created_at, id) WHERE project_id IS NOT NULL;
CREATE INDEX suspicious_activity_logs_reviewed_by_user_id_idx ON suspicious_activity_logs (organization_id,
  reviewed_by_user_id, created_at, id) WHERE reviewed_by_user_id IS NOT NULL;

ALTER TABLE suspicious_activity_logs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON suspicious_activity_logs USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON suspicious_activity_logs TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON suspicious_activity_logs TO orgdata_writer;

CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.suspicious_activity_logs FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON suspicious_activity_logs IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.suspicious_activity_logs FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE suspicious_activity_logs IS 'A suspicion that input of a person was not real, for a reviewer.';
COMMENT ON COLUMN suspicious_activity_logs.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN suspicious_activity_logs.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN suspicious_activity_logs.user_id IS 'Whose activity it is.';
COMMENT ON COLUMN suspicious_activity_logs.type IS 'What was noticed.';
COMMENT ON COLUMN suspicious_activity_logs.severity IS 'How grave it is.';
COMMENT ON COLUMN suspicious_activity_logs.confidence_percent IS 'How sure the detection is.';
COMMENT ON COLUMN suspicious_activity_logs.started_at IS 'Start of the activity; its local day is the date of the row.';
COMMENT ON COLUMN suspicious_activity_logs.ended_at IS 'End of the activity; may be the start.';
COMMENT ON COLUMN suspicious_activity_logs.timesheet_id IS 'The timesheet in which it was noticed.';
COMMENT ON COLUMN suspicious_activity_logs.project_id IS 'The project of that timesheet.';
COMMENT ON COLUMN suspicious_activity_logs.evidence IS 'Object: what was measured, with lists such as app_names and screenshot_ids. Erasure makes it `{}`.';
COMMENT ON COLUMN suspicious_activity_logs.status IS 'What the reviewer decided.';
COMMENT ON COLUMN suspicious_activity_logs.reviewed_by_user_id IS 'Who decided.';
COMMENT ON COLUMN suspicious_activity_logs.reviewed_at IS 'When it was decided.';
COMMENT ON COLUMN suspicious_activity_logs.review_note IS 'What the reviewer gave as the reason. Erasure makes it null.';
COMMENT ON COLUMN suspicious_activity_logs.deducted_seconds IS 'Seconds that the reviewer took from the person''s time; reports do not subtract them.';
COMMENT ON COLUMN suspicious_activity_logs.created_at IS 'When the row was made.';
COMMENT ON COLUMN suspicious_activity_logs.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN suspicious_activity_logs.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- url_usages

CREATE TABLE url_usages (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  slot_at timestamptz(0) NOT NULL,
  domain_id uuid NOT NULL,
  page_id uuid NOT NULL,
  timesheet_id uuid NOT NULL,
  duration_seconds integer NOT NULL,
  active_seconds integer DEFAULT 0 NOT NULL,
  visits_count integer DEFAULT 1 NOT NULL,
  first_at timestamptz(0) NOT NULL,
  last_at timestamptz(0) NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT url_usages_pkey
    PRIMARY KEY (organization_id, user_id, slot_at, domain_id, page_id, timesheet_id) INCLUDE (duration_seconds,
      active_seconds, visits_count, first_at, last_at, updated_at, deleted_at),
  CONSTRAINT url_usages_organization_id_domain_id_fkey
    FOREIGN KEY (organization_id, domain_id) REFERENCES domains (organization_id, id),
  CONSTRAINT url_usages_organization_id_page_id_fkey
    FOREIGN KEY (organization_id, page_id) REFERENCES url_pages (organization_id, id),
  CONSTRAINT url_usages_organization_id_timesheet_id_fkey
    FOREIGN KEY (organization_id, timesheet_id) REFERENCES timesheets (organization_id, id),
  CONSTRAINT url_usages_organization_id_user_id_fkey
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT url_usages_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT url_usages_active_seconds_check CHECK (active_seconds BETWEEN 0 AND duration_seconds),
  CONSTRAINT url_usages_duration_seconds_check CHECK (duration_seconds BETWEEN 0 AND 900),
  CONSTRAINT url_usages_first_at_check CHECK (first_at <= last_at),
  CONSTRAINT url_usages_slot_at_check CHECK (mod(extract(epoch from slot_at), 900) = 0),
  CONSTRAINT url_usages_visits_count_check CHECK (visits_count >= 0),
  CONSTRAINT url_usages_years_1900_to_2999_check
    CHECK (least(slot_at, first_at, last_at, created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(slot_at,
      first_at, last_at, created_at, updated_at, deleted_at) < '3000-01-01Z'),
  CONSTRAINT url_usages_zero_or_more_check CHECK (least(duration_seconds, active_seconds, visits_count) >= 0)
);

CREATE INDEX url_usages_organization_id_user_id_updated_at_slot_at_idx ON url_usages (organization_id, user_id,
  updated_at, slot_at);
CREATE INDEX url_usages_organization_id_domain_id_slot_at_idx ON url_usages (organization_id, domain_id, slot_at);

ALTER TABLE url_usages ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON url_usages USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON url_usages TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON url_usages TO orgdata_writer;

CREATE TRIGGER refuse_move BEFORE UPDATE ON public.url_usages FOR EACH ROW
  WHEN (ROW(OLD.user_id, OLD.slot_at) IS DISTINCT FROM ROW(NEW.user_id, NEW.slot_at))
  EXECUTE FUNCTION public.refuse_move('user_id', 'slot_at');
COMMENT ON TRIGGER refuse_move ON url_usages IS 'CREATE OR REPLACE TRIGGER refuse_move BEFORE UPDATE ON public.url_usages FOR EACH ROW WHEN (ROW(OLD.user_id, OLD.slot_at) IS DISTINCT FROM ROW(NEW.user_id, NEW.slot_at)) EXECUTE FUNCTION public.refuse_move(''user_id'', ''slot_at'')';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.url_usages FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON url_usages IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.url_usages FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE url_usages IS 'Use of a page by a person in a quarter of an hour of a timesheet.';
COMMENT ON COLUMN url_usages.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN url_usages.user_id IS 'The person of the timesheet.';
COMMENT ON COLUMN url_usages.slot_at IS 'Start of the quarter of an hour, in UTC.';
COMMENT ON COLUMN url_usages.domain_id IS 'The site.';
COMMENT ON COLUMN url_usages.page_id IS 'The page.';
COMMENT ON COLUMN url_usages.timesheet_id IS 'The timesheet, which overlaps the slot.';
COMMENT ON COLUMN url_usages.duration_seconds IS 'Seconds in which it was in front, at most 900.';
COMMENT ON COLUMN url_usages.active_seconds IS 'Those of them with input.';
COMMENT ON COLUMN url_usages.visits_count IS 'How often it was opened.';
COMMENT ON COLUMN url_usages.first_at IS 'First use in the slot.';
COMMENT ON COLUMN url_usages.last_at IS 'Last use in the slot.';
COMMENT ON COLUMN url_usages.created_at IS 'When the row was made.';
COMMENT ON COLUMN url_usages.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN url_usages.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- invoices

CREATE TABLE invoices (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  number text NOT NULL,
  client_id uuid NOT NULL,
  status text DEFAULT 'draft' NOT NULL,
  currency text NOT NULL,
  issue_date date NOT NULL,
  due_date date,
  period_start date,
  period_end date,
  subtotal numeric(19,4) DEFAULT 0 NOT NULL,
  discount_type text DEFAULT 'none' NOT NULL,
  discount_value numeric(19,4),
  discount_amount numeric(19,4) DEFAULT 0 NOT NULL,
  tax_amount numeric(19,4) DEFAULT 0 NOT NULL,
  total numeric(19,4) DEFAULT 0 NOT NULL,
  amount_paid numeric(19,4) DEFAULT 0 NOT NULL,
  purchase_order text,
  reference text,
  notes text,
  terms text,
  sent_at timestamptz(0),
  viewed_at timestamptz(0),
  paid_at timestamptz(0),
  voided_at timestamptz(0),
  created_by_user_id uuid,
  public_url text,
  external_id text,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT invoices_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT invoices_organization_id_number_key UNIQUE (organization_id, number),
  CONSTRAINT invoices_organization_id_client_id_fkey
    FOREIGN KEY (organization_id, client_id) REFERENCES clients (organization_id, id),
  CONSTRAINT invoices_organization_id_created_by_user_id_fkey
    FOREIGN KEY (organization_id, created_by_user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT invoices_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT invoices_currency_fkey FOREIGN KEY (currency) REFERENCES currencies (code),
  CONSTRAINT invoices_discount_value_check CHECK ((discount_type = 'none') = (discount_value IS NULL)),
  CONSTRAINT invoices_discount_amount_check
    CHECK (CASE discount_type WHEN 'none' THEN discount_amount = 0 WHEN 'amount' THEN discount_amount = discount_value
      ELSE discount_value BETWEEN 0 AND 100 END),
  CONSTRAINT invoices_discount_type_check CHECK (discount_type IN ('none', 'percent', 'amount')),
  CONSTRAINT invoices_status_check CHECK (status IN ('draft', 'sent', 'viewed', 'partially_paid', 'paid', 'void')),
  CONSTRAINT invoices_period_check CHECK (period_end >= period_start),
  CONSTRAINT invoices_total_check CHECK (total = subtotal - discount_amount + tax_amount),
  CONSTRAINT invoices_years_1900_to_2999_check
    CHECK (least(sent_at, viewed_at, paid_at, voided_at, created_at, updated_at, deleted_at) >= '1900-01-01Z' AND
      greatest(sent_at, viewed_at, paid_at, voided_at, created_at, updated_at, deleted_at) < '3000-01-01Z'),
  CONSTRAINT invoices_years_1900_to_9999_check
    CHECK (least(issue_date, due_date, period_start, period_end) >= '1900-01-01' AND greatest(issue_date, due_date,
      period_start, period_end) <= '9999-12-31'),
  CONSTRAINT invoices_without_nan_check
    CHECK (greatest(subtotal, discount_value, discount_amount, tax_amount, total, amount_paid) < 'NaN')
);

CREATE INDEX invoices_organization_id_client_id_created_at_id_idx ON invoices (organization_id, client_id, created_at,
  id);
CREATE INDEX invoices_organization_id_created_at_id_idx ON invoices (organization_id, created_at, id) WHERE deleted_at
  IS NULL;
CREATE INDEX invoices_organization_id_issue_date_id_idx ON invoices (organization_id, issue_date, id);
CREATE INDEX invoices_organization_id_status_created_at_id_idx ON invoices (organization_id, status, created_at, id);
CREATE INDEX invoices_organization_id_updated_at_id_idx ON invoices (organization_id, updated_at, id);
CREATE INDEX invoices_created_by_user_id_idx ON invoices (organization_id, created_by_user_id, created_at, id) WHERE
  created_by_user_id IS NOT NULL;
CREATE INDEX invoices_by_due_date_idx ON invoices (organization_id, (CASE WHEN (due_date IS NULL) THEN '9999-12-31' ELSE
  due_date END), id) WHERE deleted_at IS NULL;

ALTER TABLE invoices ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON invoices USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON invoices TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON invoices TO orgdata_writer;

CREATE FUNCTION public.cascade_deletion_of_invoices() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.deleted_at IS NULL THEN
    UPDATE public.invoice_lines child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.invoice_id = NEW.id AND child.deleted_at IS NULL;
    UPDATE public.invoice_taxes child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.invoice_id = NEW.id AND child.deleted_at IS NULL;
  ELSE
    UPDATE public.invoice_lines child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.invoice_id = NEW.id AND child.deleted_at = OLD.deleted_at;
    UPDATE public.invoice_taxes child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.invoice_id = NEW.id AND child.deleted_at = OLD.deleted_at;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER cascade_deletion AFTER UPDATE ON public.invoices FOR EACH ROW
  WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION public.cascade_deletion_of_invoices();
COMMENT ON TRIGGER cascade_deletion ON invoices IS 'CREATE OR REPLACE TRIGGER cascade_deletion AFTER UPDATE ON public.invoices FOR EACH ROW WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at) EXECUTE FUNCTION public.cascade_deletion_of_invoices()';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.invoices FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON invoices IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.invoices FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE invoices IS 'An invoice to a customer. Its amounts are stored, and never computed again.';
COMMENT ON COLUMN invoices.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN invoices.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN invoices.number IS 'Number that the customer sees, unique in the organization. Erasure keeps it.';
COMMENT ON COLUMN invoices.client_id IS 'The customer.';
COMMENT ON COLUMN invoices.status IS 'is_overdue of the API is derived from it, the amounts and due_date.';
COMMENT ON COLUMN invoices.currency IS 'ISO 4217 code of the amounts of the row.';
COMMENT ON COLUMN invoices.issue_date IS 'Calendar date, without a time zone.';
COMMENT ON COLUMN invoices.due_date IS 'Calendar date; overdue after it in the organization''s zone.';
COMMENT ON COLUMN invoices.period_start IS 'First day that it is for, without a time zone.';
COMMENT ON COLUMN invoices.period_end IS 'Last day that it is for, without a time zone.';
COMMENT ON COLUMN invoices.subtotal IS 'Sum of the lines.';
COMMENT ON COLUMN invoices.discount_type IS 'How discount_value is read.';
COMMENT ON COLUMN invoices.discount_value IS 'Percentage or amount; null exactly for none.';
COMMENT ON COLUMN invoices.discount_amount IS 'What is subtracted.';
COMMENT ON COLUMN invoices.tax_amount IS 'Sum of the taxes.';
COMMENT ON COLUMN invoices.total IS 'subtotal - discount_amount + tax_amount.';
COMMENT ON COLUMN invoices.amount_paid IS 'What the customer has paid; amount_due of the API is total - amount_paid.';
COMMENT ON COLUMN invoices.purchase_order IS 'Number of the customer''s order. Erasure keeps it.';
COMMENT ON COLUMN invoices.reference IS 'Free text, for payments. Erasure replaces the person''s name and e-mail address in it by `Former member`.';
COMMENT ON COLUMN invoices.notes IS 'Text that the customer sees. Erasure replaces the person''s name and e-mail address in it by `Former member`.';
COMMENT ON COLUMN invoices.terms IS 'Text that the customer sees. Erasure replaces the person''s name and e-mail address in it by `Former member`.';
COMMENT ON COLUMN invoices.sent_at IS 'When it was sent.';
COMMENT ON COLUMN invoices.viewed_at IS 'When the customer saw it.';
COMMENT ON COLUMN invoices.paid_at IS 'When it was paid in full.';
COMMENT ON COLUMN invoices.voided_at IS 'When it was voided.';
COMMENT ON COLUMN invoices.created_by_user_id IS 'Who made it.';
COMMENT ON COLUMN invoices.public_url IS 'https URL for the customer. Erasure keeps it.';
COMMENT ON COLUMN invoices.external_id IS 'Id in an accounting system. Imports may name the row by it. Erasure keeps it.';
COMMENT ON COLUMN invoices.created_at IS 'When the row was made.';
COMMENT ON COLUMN invoices.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN invoices.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- payables

CREATE TABLE payables (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  kind text NOT NULL,
  period_start date NOT NULL,
  period_end date NOT NULL,
  tracked_seconds bigint DEFAULT 0 NOT NULL,
  payable_seconds bigint DEFAULT 0 NOT NULL,
  rate numeric(19,4),
  amount numeric(19,4) NOT NULL,
  amount_paid numeric(19,4) DEFAULT 0 NOT NULL,
  currency text NOT NULL,
  status text DEFAULT 'open' NOT NULL,
  is_final boolean DEFAULT false NOT NULL,
  due_date date,
  approved_at timestamptz(0),
  approved_by_user_id uuid,
  source_id uuid,
  note text,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT payables_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT payables_organization_id_approved_by_user_id_fkey
    FOREIGN KEY (organization_id, approved_by_user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT payables_organization_id_user_id_fkey
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT payables_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT payables_currency_fkey FOREIGN KEY (currency) REFERENCES currencies (code),
  CONSTRAINT payables_kind_check CHECK (kind IN ('hourly', 'fixed', 'overtime', 'leave', 'one_time', 'adjustment')),
  CONSTRAINT payables_status_check CHECK (status IN ('open', 'approved', 'partially_paid', 'paid', 'void')),
  CONSTRAINT payables_period_check CHECK (period_end >= period_start),
  CONSTRAINT payables_seconds_check CHECK (tracked_seconds >= 0 AND payable_seconds >= 0),
  CONSTRAINT payables_years_1900_to_2999_check
    CHECK (least(approved_at, created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(approved_at,
      created_at, updated_at, deleted_at) < '3000-01-01Z'),
  CONSTRAINT payables_years_1900_to_9999_check
    CHECK (least(period_start, period_end, due_date) >= '1900-01-01' AND greatest(period_start, period_end, due_date)
      <= '9999-12-31'),
  CONSTRAINT payables_zero_or_more_check CHECK (least(tracked_seconds, payable_seconds) >= 0),
  CONSTRAINT payables_without_nan_check CHECK (greatest(rate, amount, amount_paid) < 'NaN')
);

CREATE INDEX payables_organization_id_updated_at_id_idx ON payables (organization_id, updated_at, id);
CREATE INDEX payables_organization_id_user_id_created_at_id_idx ON payables (organization_id, user_id, created_at, id);
CREATE INDEX payables_source_id_idx ON payables (organization_id, source_id, created_at, id) WHERE source_id IS NOT
  NULL;
CREATE INDEX payables_organization_id_created_at_id_idx ON payables (organization_id, created_at, id) WHERE deleted_at
  IS NULL;
CREATE INDEX payables_by_period_start_idx ON payables (organization_id, period_start, id) WHERE deleted_at IS NULL;
CREATE INDEX payables_by_due_date_idx ON payables (organization_id, (CASE WHEN (due_date IS NULL) THEN '9999-12-31' ELSE
  due_date END), id) WHERE deleted_at IS NULL;

ALTER TABLE payables ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON payables USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON payables TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON payables TO orgdata_writer;

CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.payables FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON payables IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.payables FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE payables IS 'What is owed to a person for one period and kind.';
COMMENT ON COLUMN payables.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN payables.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN payables.user_id IS 'Who is paid.';
COMMENT ON COLUMN payables.kind IS 'What it is for.';
COMMENT ON COLUMN payables.period_start IS 'First day that it is for, without a time zone.';
COMMENT ON COLUMN payables.period_end IS 'Last day that it is for, without a time zone.';
COMMENT ON COLUMN payables.tracked_seconds IS 'Tracked time of the period.';
COMMENT ON COLUMN payables.payable_seconds IS 'What is paid: approved tracked time, and paid breaks, which are not tracked time.';
COMMENT ON COLUMN payables.rate IS 'Pay of an hour.';
COMMENT ON COLUMN payables.amount IS 'What is owed in total.';
COMMENT ON COLUMN payables.amount_paid IS 'What was paid of it; amount_due of the API is amount - amount_paid.';
COMMENT ON COLUMN payables.currency IS 'ISO 4217 code of the amounts of the row.';
COMMENT ON COLUMN payables.status IS 'State of the debt.';
COMMENT ON COLUMN payables.is_final IS 'Whether the period is closed and its time locked. The API also looks for open and pending records.';
COMMENT ON COLUMN payables.due_date IS 'Calendar date until which it is to be paid.';
COMMENT ON COLUMN payables.approved_at IS 'When it was approved.';
COMMENT ON COLUMN payables.approved_by_user_id IS 'Who approved it.';
COMMENT ON COLUMN payables.source_id IS 'The row that it was made from, in one of several tables: leave application or one-time payment.';
COMMENT ON COLUMN payables.note IS 'Free text. Erasure makes it null.';
COMMENT ON COLUMN payables.created_at IS 'When the row was made.';
COMMENT ON COLUMN payables.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN payables.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- payment_settings

CREATE TABLE payment_settings (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  pay_type text NOT NULL,
  pay_rate numeric(19,4),
  bill_rate numeric(19,4),
  currency text NOT NULL,
  pay_period text NOT NULL,
  period_anchor_date date,
  overtime_enabled boolean DEFAULT false NOT NULL,
  overtime_daily_threshold_seconds integer,
  overtime_weekly_threshold_seconds integer,
  overtime_multiplier numeric(19,4),
  requires_approval boolean DEFAULT false NOT NULL,
  payment_method text,
  effective_from date NOT NULL,
  effective_to date,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT payment_settings_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT payment_settings_organization_id_user_id_fkey
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT payment_settings_organization_id_fkey
    FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT payment_settings_currency_fkey FOREIGN KEY (currency) REFERENCES currencies (code),
  CONSTRAINT payment_settings_pay_period_check CHECK (pay_period IN ('weekly', 'biweekly', 'semimonthly', 'monthly')),
  CONSTRAINT payment_settings_pay_type_check CHECK (pay_type IN ('hourly', 'fixed', 'none')),
  CONSTRAINT payment_settings_payment_method_check
    CHECK (payment_method IN ('bank_transfer', 'paypal', 'wise', 'payoneer', 'payroll', 'cash', 'other')),
  CONSTRAINT payment_settings_effective_check CHECK (effective_to >= effective_from),
  CONSTRAINT payment_settings_years_1900_to_2999_check
    CHECK (least(created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(created_at, updated_at, deleted_at)
      < '3000-01-01Z'),
  CONSTRAINT payment_settings_years_1900_to_9999_check
    CHECK (least(period_anchor_date, effective_from, effective_to) >= '1900-01-01' AND greatest(period_anchor_date,
      effective_from, effective_to) <= '9999-12-31'),
  CONSTRAINT payment_settings_zero_or_more_check
    CHECK (least(overtime_daily_threshold_seconds, overtime_weekly_threshold_seconds) >= 0),
  CONSTRAINT payment_settings_without_nan_check CHECK (greatest(pay_rate, bill_rate, overtime_multiplier) < 'NaN')
);

CREATE INDEX payment_settings_organization_id_user_id_effective_from_id_idx ON payment_settings (organization_id,
  user_id, effective_from, id) WHERE deleted_at IS NULL;
CREATE INDEX payment_settings_organization_id_updated_at_id_idx ON payment_settings (organization_id, updated_at, id);

ALTER TABLE payment_settings ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON payment_settings USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON payment_settings TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON payment_settings TO orgdata_writer;

CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.payment_settings FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON payment_settings IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.payment_settings FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE payment_settings IS 'How a person is paid from one date to another. Ranges of one person do not overlap.';
COMMENT ON COLUMN payment_settings.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN payment_settings.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN payment_settings.user_id IS 'The person.';
COMMENT ON COLUMN payment_settings.pay_type IS 'What the pay depends on.';
COMMENT ON COLUMN payment_settings.pay_rate IS 'Pay of an hour, or of a period if fixed.';
COMMENT ON COLUMN payment_settings.bill_rate IS 'What an hour of the person costs customers, unless a project says otherwise.';
COMMENT ON COLUMN payment_settings.currency IS 'ISO 4217 code of the amounts of the row.';
COMMENT ON COLUMN payment_settings.pay_period IS 'How often the person is paid.';
COMMENT ON COLUMN payment_settings.period_anchor_date IS 'A first day of a period, for biweekly periods.';
COMMENT ON COLUMN payment_settings.overtime_enabled IS 'Whether time over the thresholds is paid with the multiplier.';
COMMENT ON COLUMN payment_settings.overtime_daily_threshold_seconds IS 'Seconds of a day after which overtime begins.';
COMMENT ON COLUMN payment_settings.overtime_weekly_threshold_seconds IS 'Seconds of a week after which overtime begins.';
COMMENT ON COLUMN payment_settings.overtime_multiplier IS 'Factor of the rate for overtime.';
COMMENT ON COLUMN payment_settings.requires_approval IS 'Whether time is paid only after approval.';
COMMENT ON COLUMN payment_settings.payment_method IS 'How the money is sent.';
COMMENT ON COLUMN payment_settings.effective_from IS 'First day on which it holds.';
COMMENT ON COLUMN payment_settings.effective_to IS 'Last day on which it holds; null: without end.';
COMMENT ON COLUMN payment_settings.created_at IS 'When the row was made.';
COMMENT ON COLUMN payment_settings.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN payment_settings.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- hourly_payment_logs

CREATE TABLE hourly_payment_logs (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  period_start date NOT NULL,
  period_end date NOT NULL,
  tracked_seconds bigint NOT NULL,
  paid_seconds bigint NOT NULL,
  overtime_seconds bigint DEFAULT 0 NOT NULL,
  hourly_rate numeric(19,4) NOT NULL,
  overtime_rate numeric(19,4),
  amount numeric(19,4) NOT NULL,
  currency text NOT NULL,
  status text DEFAULT 'pending' NOT NULL,
  payment_method text,
  paid_at timestamptz(0),
  paid_by_user_id uuid,
  reference text,
  note text,
  payable_id uuid,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT hourly_payment_logs_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT hourly_payment_logs_organization_id_paid_by_user_id_fkey
    FOREIGN KEY (organization_id, paid_by_user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT hourly_payment_logs_organization_id_payable_id_fkey
    FOREIGN KEY (organization_id, payable_id) REFERENCES payables (organization_id, id),
  CONSTRAINT hourly_payment_logs_organization_id_user_id_fkey
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT hourly_payment_logs_organization_id_fkey
    FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT hourly_payment_logs_currency_fkey FOREIGN KEY (currency) REFERENCES currencies (code),
  CONSTRAINT hourly_payment_logs_payment_method_check
    CHECK (payment_method IN ('bank_transfer', 'paypal', 'wise', 'payoneer', 'payroll', 'cash', 'other')),
  CONSTRAINT hourly_payment_logs_status_check
    CHECK (status IN ('pending', 'processing', 'paid', 'failed', 'cancelled', 'refunded')),
  CONSTRAINT hourly_payment_logs_period_check CHECK (period_end >= period_start),
  CONSTRAINT hourly_payment_logs_seconds_check
    CHECK (tracked_seconds >= 0 AND paid_seconds >= 0 AND overtime_seconds >= 0),
  CONSTRAINT hourly_payment_logs_years_1900_to_2999_check
    CHECK (least(paid_at, created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(paid_at, created_at,
      updated_at, deleted_at) < '3000-01-01Z'),
  CONSTRAINT hourly_payment_logs_years_1900_to_9999_check
    CHECK (least(period_start, period_end) >= '1900-01-01' AND greatest(period_start, period_end) <= '9999-12-31'),
  CONSTRAINT hourly_payment_logs_zero_or_more_check CHECK (least(tracked_seconds, paid_seconds, overtime_seconds) >= 0),
  CONSTRAINT hourly_payment_logs_without_nan_check CHECK (greatest(hourly_rate, overtime_rate, amount) < 'NaN')
);

CREATE INDEX hourly_payment_logs_organization_id_updated_at_id_idx ON hourly_payment_logs (organization_id, updated_at,
  id);
CREATE INDEX hourly_payment_logs_organization_id_user_id_created_at_id_idx ON hourly_payment_logs (organization_id,
  user_id, created_at, id);
CREATE INDEX hourly_payment_logs_payable_id_idx ON hourly_payment_logs (organization_id, payable_id, created_at, id)
  WHERE payable_id IS NOT NULL;
CREATE INDEX hourly_payment_logs_organization_id_created_at_id_idx ON hourly_payment_logs (organization_id, created_at,
  id) WHERE deleted_at IS NULL;
CREATE INDEX hourly_payment_logs_by_period_start_idx ON hourly_payment_logs (organization_id, period_start, id) WHERE
  deleted_at IS NULL;

ALTER TABLE hourly_payment_logs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON hourly_payment_logs USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON hourly_payment_logs TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON hourly_payment_logs TO orgdata_writer;

CREATE FUNCTION public.cascade_deletion_of_hourly_payment_logs() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.deleted_at IS NULL THEN
    UPDATE public.hourly_payment_lines child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.log_id = NEW.id AND child.deleted_at IS NULL;
  ELSE
    UPDATE public.hourly_payment_lines child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.log_id = NEW.id AND child.deleted_at = OLD.deleted_at;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER cascade_deletion AFTER UPDATE ON public.hourly_payment_logs FOR EACH ROW
  WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION public.cascade_deletion_of_hourly_payment_logs();
COMMENT ON TRIGGER cascade_deletion ON hourly_payment_logs IS 'CREATE OR REPLACE TRIGGER cascade_deletion AFTER UPDATE ON public.hourly_payment_logs FOR EACH ROW WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at) EXECUTE FUNCTION public.cascade_deletion_of_hourly_payment_logs()';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.hourly_payment_logs FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON hourly_payment_logs IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.hourly_payment_logs FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE hourly_payment_logs IS 'A payment for the time of a period.';
COMMENT ON COLUMN hourly_payment_logs.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN hourly_payment_logs.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN hourly_payment_logs.user_id IS 'Who was paid.';
COMMENT ON COLUMN hourly_payment_logs.period_start IS 'First day that it is for, without a time zone.';
COMMENT ON COLUMN hourly_payment_logs.period_end IS 'Last day that it is for, without a time zone.';
COMMENT ON COLUMN hourly_payment_logs.tracked_seconds IS 'Tracked time of the period.';
COMMENT ON COLUMN hourly_payment_logs.paid_seconds IS 'What was paid: tracked time and paid breaks, overtime included.';
COMMENT ON COLUMN hourly_payment_logs.overtime_seconds IS 'Those of the paid ones that are overtime.';
COMMENT ON COLUMN hourly_payment_logs.hourly_rate IS 'Pay of an hour.';
COMMENT ON COLUMN hourly_payment_logs.overtime_rate IS 'Pay of an hour of overtime.';
COMMENT ON COLUMN hourly_payment_logs.amount IS 'What was paid.';
COMMENT ON COLUMN hourly_payment_logs.currency IS 'ISO 4217 code of the amounts of the row.';
COMMENT ON COLUMN hourly_payment_logs.status IS 'State of the payment.';
COMMENT ON COLUMN hourly_payment_logs.payment_method IS 'How the money was sent.';
COMMENT ON COLUMN hourly_payment_logs.paid_at IS 'When it was paid.';
COMMENT ON COLUMN hourly_payment_logs.paid_by_user_id IS 'Who paid it.';
COMMENT ON COLUMN hourly_payment_logs.reference IS 'Text or number of the transfer. Erasure replaces the person''s name and e-mail address in it by `Former member`.';
COMMENT ON COLUMN hourly_payment_logs.note IS 'Free text. Erasure makes it null.';
COMMENT ON COLUMN hourly_payment_logs.payable_id IS 'The debt that it pays.';
COMMENT ON COLUMN hourly_payment_logs.created_at IS 'When the row was made.';
COMMENT ON COLUMN hourly_payment_logs.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN hourly_payment_logs.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- invoice_taxes

CREATE TABLE invoice_taxes (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  invoice_id uuid NOT NULL,
  position integer NOT NULL,
  name text NOT NULL,
  percent numeric(19,4) NOT NULL,
  amount numeric(19,4) NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT invoice_taxes_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT invoice_taxes_organization_id_invoice_id_fkey
    FOREIGN KEY (organization_id, invoice_id) REFERENCES invoices (organization_id, id),
  CONSTRAINT invoice_taxes_organization_id_fkey
    FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT invoice_taxes_years_1900_to_2999_check
    CHECK (least(created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(created_at, updated_at, deleted_at)
      < '3000-01-01Z'),
  CONSTRAINT invoice_taxes_zero_or_more_check CHECK (least(position) >= 0),
  CONSTRAINT invoice_taxes_without_nan_check CHECK (greatest(percent, amount) < 'NaN')
);

CREATE INDEX invoice_taxes_organization_id_invoice_id_position_id_idx ON invoice_taxes (organization_id, invoice_id,
  position, id) WHERE deleted_at IS NULL;

ALTER TABLE invoice_taxes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON invoice_taxes USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON invoice_taxes TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON invoice_taxes TO orgdata_writer;

CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.invoice_taxes FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON invoice_taxes IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.invoice_taxes FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE invoice_taxes IS 'A tax of an invoice.';
COMMENT ON COLUMN invoice_taxes.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN invoice_taxes.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN invoice_taxes.invoice_id IS 'The invoice.';
COMMENT ON COLUMN invoice_taxes.position IS 'Order of the taxes.';
COMMENT ON COLUMN invoice_taxes.name IS 'Text that the customer sees.';
COMMENT ON COLUMN invoice_taxes.percent IS 'Percentage of the taxed amount.';
COMMENT ON COLUMN invoice_taxes.amount IS 'The tax.';
COMMENT ON COLUMN invoice_taxes.created_at IS 'When the row was made.';
COMMENT ON COLUMN invoice_taxes.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN invoice_taxes.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- one_time_payment_logs

CREATE TABLE one_time_payment_logs (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  type text NOT NULL,
  amount numeric(19,4) NOT NULL,
  currency text NOT NULL,
  description text,
  payment_date date NOT NULL,
  period_start date,
  period_end date,
  project_id uuid,
  status text DEFAULT 'pending' NOT NULL,
  payment_method text,
  paid_at timestamptz(0),
  paid_by_user_id uuid,
  reference text,
  is_taxable boolean,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT one_time_payment_logs_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT one_time_payment_logs_organization_id_paid_by_user_id_fkey
    FOREIGN KEY (organization_id, paid_by_user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT one_time_payment_logs_organization_id_project_id_fkey
    FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id),
  CONSTRAINT one_time_payment_logs_organization_id_user_id_fkey
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT one_time_payment_logs_organization_id_fkey
    FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT one_time_payment_logs_currency_fkey FOREIGN KEY (currency) REFERENCES currencies (code),
  CONSTRAINT one_time_payment_logs_payment_method_check
    CHECK (payment_method IN ('bank_transfer', 'paypal', 'wise', 'payoneer', 'payroll', 'cash', 'other')),
  CONSTRAINT one_time_payment_logs_status_check
    CHECK (status IN ('pending', 'processing', 'paid', 'failed', 'cancelled', 'refunded')),
  CONSTRAINT one_time_payment_logs_deduction_check CHECK (type <> 'deduction' OR amount <= 0),
  CONSTRAINT one_time_payment_logs_type_check
    CHECK (type IN ('bonus', 'commission', 'reimbursement', 'advance', 'allowance', 'adjustment', 'deduction',
      'fixed_salary', 'other')),
  CONSTRAINT one_time_payment_logs_period_check CHECK (period_end >= period_start),
  CONSTRAINT one_time_payment_logs_years_1900_to_2999_check
    CHECK (least(paid_at, created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(paid_at, created_at,
      updated_at, deleted_at) < '3000-01-01Z'),
  CONSTRAINT one_time_payment_logs_years_1900_to_9999_check
    CHECK (least(payment_date, period_start, period_end) >= '1900-01-01' AND greatest(payment_date, period_start,
      period_end) <= '9999-12-31'),
  CONSTRAINT one_time_payment_logs_without_nan_check CHECK (greatest(amount) < 'NaN')
);

CREATE INDEX one_time_payment_logs_organization_id_updated_at_id_idx ON one_time_payment_logs (organization_id,
  updated_at, id);
CREATE INDEX one_time_payment_logs_organization_id_user_id_created_at_id_idx ON one_time_payment_logs (organization_id,
  user_id, created_at, id);
CREATE INDEX one_time_payment_logs_project_id_idx ON one_time_payment_logs (organization_id, project_id, created_at, id)
  WHERE project_id IS NOT NULL;
CREATE INDEX one_time_payment_logs_organization_id_created_at_id_idx ON one_time_payment_logs (organization_id,
  created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX one_time_payment_logs_by_payment_date_idx ON one_time_payment_logs (organization_id, payment_date, id)
  WHERE deleted_at IS NULL;

ALTER TABLE one_time_payment_logs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON one_time_payment_logs USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON one_time_payment_logs TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON one_time_payment_logs TO orgdata_writer;

CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.one_time_payment_logs FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON one_time_payment_logs IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.one_time_payment_logs FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE one_time_payment_logs IS 'A payment that is not for time, such as a bonus.';
COMMENT ON COLUMN one_time_payment_logs.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN one_time_payment_logs.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN one_time_payment_logs.user_id IS 'Who was paid.';
COMMENT ON COLUMN one_time_payment_logs.type IS 'What it is for.';
COMMENT ON COLUMN one_time_payment_logs.amount IS 'What was paid; negative or zero for a deduction.';
COMMENT ON COLUMN one_time_payment_logs.currency IS 'ISO 4217 code of the amounts of the row.';
COMMENT ON COLUMN one_time_payment_logs.description IS 'Free text. Erasure makes it null.';
COMMENT ON COLUMN one_time_payment_logs.payment_date IS 'Calendar date, without a time zone.';
COMMENT ON COLUMN one_time_payment_logs.period_start IS 'First day that it is for, without a time zone.';
COMMENT ON COLUMN one_time_payment_logs.period_end IS 'Last day that it is for, without a time zone.';
COMMENT ON COLUMN one_time_payment_logs.project_id IS 'The project that it is for.';
COMMENT ON COLUMN one_time_payment_logs.status IS 'State of the payment.';
COMMENT ON COLUMN one_time_payment_logs.payment_method IS 'How the money was sent.';
COMMENT ON COLUMN one_time_payment_logs.paid_at IS 'When it was paid.';
COMMENT ON COLUMN one_time_payment_logs.paid_by_user_id IS 'Who paid it.';
COMMENT ON COLUMN one_time_payment_logs.reference IS 'Text or number of the transfer. Erasure replaces the person''s name and e-mail address in it by `Former member`.';
COMMENT ON COLUMN one_time_payment_logs.is_taxable IS 'Whether tax is due; null: unknown.';
COMMENT ON COLUMN one_time_payment_logs.created_at IS 'When the row was made.';
COMMENT ON COLUMN one_time_payment_logs.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN one_time_payment_logs.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- hourly_payment_lines

CREATE TABLE hourly_payment_lines (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  log_id uuid NOT NULL,
  date date NOT NULL,
  project_id uuid,
  task_id uuid,
  paid_seconds bigint NOT NULL,
  rate numeric(19,4) NOT NULL,
  amount numeric(19,4) NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT hourly_payment_lines_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT hourly_payment_lines_organization_id_log_id_fkey
    FOREIGN KEY (organization_id, log_id) REFERENCES hourly_payment_logs (organization_id, id),
  CONSTRAINT hourly_payment_lines_organization_id_project_id_fkey
    FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id),
  CONSTRAINT hourly_payment_lines_organization_id_task_id_fkey
    FOREIGN KEY (organization_id, task_id) REFERENCES tasks (organization_id, id),
  CONSTRAINT hourly_payment_lines_organization_id_fkey
    FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT hourly_payment_lines_seconds_check CHECK (paid_seconds >= 0),
  CONSTRAINT hourly_payment_lines_years_1900_to_2999_check
    CHECK (least(created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(created_at, updated_at, deleted_at)
      < '3000-01-01Z'),
  CONSTRAINT hourly_payment_lines_years_1900_to_9999_check
    CHECK (least(date) >= '1900-01-01' AND greatest(date) <= '9999-12-31'),
  CONSTRAINT hourly_payment_lines_zero_or_more_check CHECK (least(paid_seconds) >= 0),
  CONSTRAINT hourly_payment_lines_without_nan_check CHECK (greatest(rate, amount) < 'NaN')
);

CREATE INDEX hourly_payment_lines_organization_id_log_id_date_id_idx ON hourly_payment_lines (organization_id, log_id,
  date, id) WHERE deleted_at IS NULL;

ALTER TABLE hourly_payment_lines ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON hourly_payment_lines USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON hourly_payment_lines TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON hourly_payment_lines TO orgdata_writer;

CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.hourly_payment_lines FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON hourly_payment_lines IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.hourly_payment_lines FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE hourly_payment_lines IS 'The part of a payment that one day, project and task had.';
COMMENT ON COLUMN hourly_payment_lines.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN hourly_payment_lines.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN hourly_payment_lines.log_id IS 'The payment.';
COMMENT ON COLUMN hourly_payment_lines.date IS 'Calendar date in the organization''s zone.';
COMMENT ON COLUMN hourly_payment_lines.project_id IS 'The project; null: none.';
COMMENT ON COLUMN hourly_payment_lines.task_id IS 'The task; null: none.';
COMMENT ON COLUMN hourly_payment_lines.paid_seconds IS 'Paid time.';
COMMENT ON COLUMN hourly_payment_lines.rate IS 'Pay of an hour.';
COMMENT ON COLUMN hourly_payment_lines.amount IS 'What was paid.';
COMMENT ON COLUMN hourly_payment_lines.created_at IS 'When the row was made.';
COMMENT ON COLUMN hourly_payment_lines.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN hourly_payment_lines.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- invoice_lines

CREATE TABLE invoice_lines (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  invoice_id uuid NOT NULL,
  position integer NOT NULL,
  kind text NOT NULL,
  description text NOT NULL,
  project_id uuid,
  task_id uuid,
  user_id uuid,
  quantity numeric(19,4) NOT NULL,
  unit text NOT NULL,
  duration_seconds bigint,
  unit_price numeric(19,4) NOT NULL,
  amount numeric(19,4) NOT NULL,
  is_taxed boolean DEFAULT true NOT NULL,
  tax_percent numeric(19,4),
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT invoice_lines_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT invoice_lines_organization_id_invoice_id_fkey
    FOREIGN KEY (organization_id, invoice_id) REFERENCES invoices (organization_id, id),
  CONSTRAINT invoice_lines_organization_id_project_id_fkey
    FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id),
  CONSTRAINT invoice_lines_organization_id_task_id_fkey
    FOREIGN KEY (organization_id, task_id) REFERENCES tasks (organization_id, id),
  CONSTRAINT invoice_lines_organization_id_user_id_fkey
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT invoice_lines_organization_id_fkey
    FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT invoice_lines_kind_check CHECK (kind IN ('time', 'fixed', 'expense', 'other')),
  CONSTRAINT invoice_lines_unit_check CHECK (unit IN ('hour', 'day', 'item')),
  CONSTRAINT invoice_lines_duration_check CHECK (duration_seconds >= 0),
  CONSTRAINT invoice_lines_years_1900_to_2999_check
    CHECK (least(created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(created_at, updated_at, deleted_at)
      < '3000-01-01Z'),
  CONSTRAINT invoice_lines_zero_or_more_check CHECK (least(position, duration_seconds) >= 0),
  CONSTRAINT invoice_lines_without_nan_check CHECK (greatest(quantity, unit_price, amount, tax_percent) < 'NaN')
);

CREATE INDEX invoice_lines_organization_id_invoice_id_position_id_idx ON invoice_lines (organization_id, invoice_id,
  position, id) WHERE deleted_at IS NULL;
CREATE INDEX invoice_lines_organization_id_project_id_invoice_id_idx ON invoice_lines (organization_id, project_id,
  invoice_id) WHERE project_id IS NOT NULL;
CREATE INDEX invoice_lines_task_id_idx ON invoice_lines (organization_id, task_id, invoice_id) WHERE task_id IS NOT
  NULL;
CREATE INDEX invoice_lines_user_id_idx ON invoice_lines (organization_id, user_id, invoice_id) WHERE user_id IS NOT
  NULL;

ALTER TABLE invoice_lines ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON invoice_lines USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON invoice_lines TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON invoice_lines TO orgdata_writer;

CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.invoice_lines FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON invoice_lines IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.invoice_lines FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE invoice_lines IS 'A line of an invoice.';
COMMENT ON COLUMN invoice_lines.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN invoice_lines.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN invoice_lines.invoice_id IS 'The invoice.';
COMMENT ON COLUMN invoice_lines.position IS 'Order of the lines.';
COMMENT ON COLUMN invoice_lines.kind IS 'What is charged.';
COMMENT ON COLUMN invoice_lines.description IS 'Text that the customer sees. Erasure replaces the person''s name and e-mail address in it by `Former member`.';
COMMENT ON COLUMN invoice_lines.project_id IS 'The project that is charged.';
COMMENT ON COLUMN invoice_lines.task_id IS 'The task that is charged.';
COMMENT ON COLUMN invoice_lines.user_id IS 'The person whose time is charged.';
COMMENT ON COLUMN invoice_lines.quantity IS 'How many units.';
COMMENT ON COLUMN invoice_lines.unit IS 'Unit of the quantity.';
COMMENT ON COLUMN invoice_lines.duration_seconds IS 'The time that is charged, before rounding to the quantity.';
COMMENT ON COLUMN invoice_lines.unit_price IS 'Price of a unit.';
COMMENT ON COLUMN invoice_lines.amount IS 'quantity * unit_price, rounded once.';
COMMENT ON COLUMN invoice_lines.is_taxed IS 'Whether taxes are computed on it.';
COMMENT ON COLUMN invoice_lines.tax_percent IS 'Percentage of the tax on it.';
COMMENT ON COLUMN invoice_lines.created_at IS 'When the row was made.';
COMMENT ON COLUMN invoice_lines.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN invoice_lines.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- leave_periods

CREATE TABLE leave_periods (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  start_date date NOT NULL,
  end_date date NOT NULL,
  status text DEFAULT 'open' NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT leave_periods_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT leave_periods_organization_id_fkey
    FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT leave_periods_status_check CHECK (status IN ('upcoming', 'open', 'closed')),
  CONSTRAINT leave_periods_dates_check CHECK (start_date <= end_date),
  CONSTRAINT leave_periods_years_1900_to_2999_check
    CHECK (least(created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(created_at, updated_at, deleted_at)
      < '3000-01-01Z'),
  CONSTRAINT leave_periods_years_1900_to_9999_check
    CHECK (least(start_date, end_date) >= '1900-01-01' AND greatest(start_date, end_date) <= '9999-12-31')
);

CREATE INDEX leave_periods_organization_id_created_at_id_idx ON leave_periods (organization_id, created_at, id) WHERE
  deleted_at IS NULL;
CREATE INDEX leave_periods_organization_id_updated_at_id_idx ON leave_periods (organization_id, updated_at, id);
CREATE INDEX leave_periods_deleted_idx ON leave_periods (organization_id, id) WHERE deleted_at IS NOT NULL;

ALTER TABLE leave_periods ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON leave_periods USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON leave_periods TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON leave_periods TO orgdata_writer;

CREATE FUNCTION public.cascade_deletion_of_leave_periods() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.deleted_at IS NULL THEN
    UPDATE public.leave_balances child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.leave_period_id = NEW.id AND child.deleted_at IS NULL;
  ELSE
    UPDATE public.leave_balances child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.leave_period_id = NEW.id AND child.deleted_at = OLD.deleted_at;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER cascade_deletion AFTER UPDATE ON public.leave_periods FOR EACH ROW
  WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION public.cascade_deletion_of_leave_periods();
COMMENT ON TRIGGER cascade_deletion ON leave_periods IS 'CREATE OR REPLACE TRIGGER cascade_deletion AFTER UPDATE ON public.leave_periods FOR EACH ROW WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at) EXECUTE FUNCTION public.cascade_deletion_of_leave_periods()';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.leave_periods FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON leave_periods IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.leave_periods FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE leave_periods IS 'A range of days in which balances are kept, usually a year.';
COMMENT ON COLUMN leave_periods.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN leave_periods.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN leave_periods.name IS 'Name that clients see.';
COMMENT ON COLUMN leave_periods.start_date IS 'First day, without a time zone.';
COMMENT ON COLUMN leave_periods.end_date IS 'Last day, without a time zone.';
COMMENT ON COLUMN leave_periods.status IS 'State of the period.';
COMMENT ON COLUMN leave_periods.created_at IS 'When the row was made.';
COMMENT ON COLUMN leave_periods.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN leave_periods.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- leave_types

CREATE TABLE leave_types (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  code text,
  description text,
  color text,
  category text NOT NULL,
  unit text DEFAULT 'day' NOT NULL,
  is_paid boolean DEFAULT true NOT NULL,
  requires_approval boolean DEFAULT true NOT NULL,
  requires_attachment boolean DEFAULT false NOT NULL,
  allows_half_day boolean DEFAULT true NOT NULL,
  is_active boolean DEFAULT true NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT leave_types_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT leave_types_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT leave_types_category_check
    CHECK (category IN ('vacation', 'sick', 'parental', 'unpaid', 'holiday', 'compensatory', 'other')),
  CONSTRAINT leave_types_unit_check CHECK (unit IN ('day', 'hour')),
  CONSTRAINT leave_types_years_1900_to_2999_check
    CHECK (least(created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(created_at, updated_at, deleted_at)
      < '3000-01-01Z')
);

CREATE INDEX leave_types_organization_id_created_at_id_idx ON leave_types (organization_id, created_at, id) WHERE
  deleted_at IS NULL;
CREATE INDEX leave_types_organization_id_updated_at_id_idx ON leave_types (organization_id, updated_at, id);
CREATE INDEX leave_types_deleted_idx ON leave_types (organization_id, id) WHERE deleted_at IS NOT NULL;

ALTER TABLE leave_types ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON leave_types USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON leave_types TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON leave_types TO orgdata_writer;

CREATE FUNCTION public.cascade_deletion_of_leave_types() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.deleted_at IS NULL THEN
    UPDATE public.leave_policies child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.leave_type_id = NEW.id AND child.deleted_at IS NULL;
  ELSE
    UPDATE public.leave_policies child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.leave_type_id = NEW.id AND child.deleted_at = OLD.deleted_at;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER cascade_deletion AFTER UPDATE ON public.leave_types FOR EACH ROW
  WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION public.cascade_deletion_of_leave_types();
COMMENT ON TRIGGER cascade_deletion ON leave_types IS 'CREATE OR REPLACE TRIGGER cascade_deletion AFTER UPDATE ON public.leave_types FOR EACH ROW WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at) EXECUTE FUNCTION public.cascade_deletion_of_leave_types()';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.leave_types FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON leave_types IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.leave_types FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE leave_types IS 'A kind of leave, such as vacation.';
COMMENT ON COLUMN leave_types.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN leave_types.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN leave_types.name IS 'Name that clients see.';
COMMENT ON COLUMN leave_types.code IS 'Short name.';
COMMENT ON COLUMN leave_types.description IS 'Free text.';
COMMENT ON COLUMN leave_types.color IS '#rrggbb.';
COMMENT ON COLUMN leave_types.category IS 'What payroll does with it.';
COMMENT ON COLUMN leave_types.unit IS 'Unit of every quantity of this type. Never change it once it is used: days would become hours.';
COMMENT ON COLUMN leave_types.is_paid IS 'Whether leave of this type is paid.';
COMMENT ON COLUMN leave_types.requires_approval IS 'Whether a reviewer must approve it.';
COMMENT ON COLUMN leave_types.requires_attachment IS 'Whether a document is needed.';
COMMENT ON COLUMN leave_types.allows_half_day IS 'Whether half days can be taken.';
COMMENT ON COLUMN leave_types.is_active IS 'Whether it can be applied for.';
COMMENT ON COLUMN leave_types.created_at IS 'When the row was made.';
COMMENT ON COLUMN leave_types.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN leave_types.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- leave_policies

CREATE TABLE leave_policies (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  leave_type_id uuid NOT NULL,
  name text NOT NULL,
  entitlement numeric(9,2),
  accrual_type text DEFAULT 'upfront' NOT NULL,
  accrual_amount numeric(9,2),
  accrual_cap numeric(9,2),
  carry_over_max numeric(9,2),
  carry_over_expires_on_month_day text,
  allows_negative_balance boolean DEFAULT false NOT NULL,
  max_negative numeric(9,2),
  waiting_period_days integer DEFAULT 0 NOT NULL,
  prorate_on_hire boolean DEFAULT true NOT NULL,
  min_notice_days integer,
  max_consecutive numeric(9,2),
  day_length_seconds integer DEFAULT 28800 NOT NULL,
  auto_assign_new_members boolean DEFAULT false NOT NULL,
  is_active boolean DEFAULT true NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT leave_policies_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT leave_policies_organization_id_leave_type_id_fkey
    FOREIGN KEY (organization_id, leave_type_id) REFERENCES leave_types (organization_id, id),
  CONSTRAINT leave_policies_organization_id_fkey
    FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT leave_policies_accrual_type_check
    CHECK (accrual_type IN ('none', 'upfront', 'monthly', 'biweekly', 'hours_worked', 'anniversary')),
  CONSTRAINT leave_policies_carry_over_expires_check
    CHECK (carry_over_expires_on_month_day ~ '^(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$'),
  CONSTRAINT leave_policies_day_length_check CHECK (day_length_seconds > 0),
  CONSTRAINT leave_policies_years_1900_to_2999_check
    CHECK (least(created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(created_at, updated_at, deleted_at)
      < '3000-01-01Z'),
  CONSTRAINT leave_policies_zero_or_more_check
    CHECK (least(waiting_period_days, min_notice_days, day_length_seconds) >= 0),
  CONSTRAINT leave_policies_without_nan_check
    CHECK (greatest(entitlement, accrual_amount, accrual_cap, carry_over_max, max_negative, max_consecutive) < 'NaN')
);

CREATE INDEX leave_policies_organization_id_created_at_id_idx ON leave_policies (organization_id, created_at, id) WHERE
  deleted_at IS NULL;
CREATE INDEX leave_policies_organization_id_leave_type_id_created_at_id_idx ON leave_policies (organization_id,
  leave_type_id, created_at, id);
CREATE INDEX leave_policies_organization_id_updated_at_id_idx ON leave_policies (organization_id, updated_at, id);
CREATE INDEX leave_policies_deleted_idx ON leave_policies (organization_id, id) WHERE deleted_at IS NOT NULL;

ALTER TABLE leave_policies ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON leave_policies USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON leave_policies TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON leave_policies TO orgdata_writer;

CREATE FUNCTION public.cascade_deletion_of_leave_policies() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.deleted_at IS NULL THEN
    UPDATE public.leave_assignments child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.leave_policy_id = NEW.id AND child.deleted_at IS NULL;
    UPDATE public.leave_balances child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.leave_policy_id = NEW.id AND child.deleted_at IS NULL;
  ELSE
    UPDATE public.leave_assignments child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.leave_policy_id = NEW.id AND child.deleted_at = OLD.deleted_at;
    UPDATE public.leave_balances child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.leave_policy_id = NEW.id AND child.deleted_at = OLD.deleted_at;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER cascade_deletion AFTER UPDATE ON public.leave_policies FOR EACH ROW
  WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION public.cascade_deletion_of_leave_policies();
COMMENT ON TRIGGER cascade_deletion ON leave_policies IS 'CREATE OR REPLACE TRIGGER cascade_deletion AFTER UPDATE ON public.leave_policies FOR EACH ROW WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at) EXECUTE FUNCTION public.cascade_deletion_of_leave_policies()';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.leave_policies FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON leave_policies IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.leave_policies FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE leave_policies IS 'Rules for one type of leave, for the people who are assigned to it.';
COMMENT ON COLUMN leave_policies.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN leave_policies.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN leave_policies.leave_type_id IS 'The type.';
COMMENT ON COLUMN leave_policies.name IS 'Name that clients see.';
COMMENT ON COLUMN leave_policies.entitlement IS 'What a person gets in a period; null: no limit.';
COMMENT ON COLUMN leave_policies.accrual_type IS 'When a person gets it.';
COMMENT ON COLUMN leave_policies.accrual_amount IS 'What is added each time.';
COMMENT ON COLUMN leave_policies.accrual_cap IS 'Most that can be collected.';
COMMENT ON COLUMN leave_policies.carry_over_max IS 'Most that goes to the next period.';
COMMENT ON COLUMN leave_policies.carry_over_expires_on_month_day IS 'MM-DD, the day of each year on which the rest of the last period expires.';
COMMENT ON COLUMN leave_policies.allows_negative_balance IS 'Whether more can be taken than there is.';
COMMENT ON COLUMN leave_policies.max_negative IS 'How much more.';
COMMENT ON COLUMN leave_policies.waiting_period_days IS 'Days after joining before leave can be taken.';
COMMENT ON COLUMN leave_policies.prorate_on_hire IS 'Whether a person who joins late gets less.';
COMMENT ON COLUMN leave_policies.min_notice_days IS 'Days between application and leave.';
COMMENT ON COLUMN leave_policies.max_consecutive IS 'Longest leave.';
COMMENT ON COLUMN leave_policies.day_length_seconds IS 'What a day of leave is worth in seconds.';
COMMENT ON COLUMN leave_policies.auto_assign_new_members IS 'Whether new members get it.';
COMMENT ON COLUMN leave_policies.is_active IS 'Whether it can be assigned.';
COMMENT ON COLUMN leave_policies.created_at IS 'When the row was made.';
COMMENT ON COLUMN leave_policies.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN leave_policies.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- leave_applications

CREATE TABLE leave_applications (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  leave_type_id uuid NOT NULL,
  leave_policy_id uuid,
  leave_period_id uuid,
  status text DEFAULT 'pending' NOT NULL,
  start_date date NOT NULL,
  end_date date NOT NULL,
  start_day_part text DEFAULT 'full' NOT NULL,
  end_day_part text DEFAULT 'full' NOT NULL,
  started_at timestamptz(0),
  ended_at timestamptz(0),
  timezone text NOT NULL,
  amount numeric(9,2) DEFAULT 0 NOT NULL,
  duration_seconds integer NOT NULL,
  is_paid boolean NOT NULL,
  reason text,
  applied_at timestamptz(0) NOT NULL,
  reviewed_by_user_id uuid,
  reviewed_at timestamptz(0),
  review_note text,
  cancelled_at timestamptz(0),
  has_attachment boolean DEFAULT false NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT leave_applications_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT leave_applications_organization_id_leave_period_id_fkey
    FOREIGN KEY (organization_id, leave_period_id) REFERENCES leave_periods (organization_id, id),
  CONSTRAINT leave_applications_organization_id_leave_policy_id_fkey
    FOREIGN KEY (organization_id, leave_policy_id) REFERENCES leave_policies (organization_id, id),
  CONSTRAINT leave_applications_organization_id_leave_type_id_fkey
    FOREIGN KEY (organization_id, leave_type_id) REFERENCES leave_types (organization_id, id),
  CONSTRAINT leave_applications_organization_id_reviewed_by_user_id_fkey
    FOREIGN KEY (organization_id, reviewed_by_user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT leave_applications_organization_id_user_id_fkey
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT leave_applications_organization_id_fkey
    FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT leave_applications_timezone_fkey FOREIGN KEY (timezone) REFERENCES time_zones (name),
  CONSTRAINT leave_applications_end_day_part_check CHECK (end_day_part IN ('full', 'first_half', 'second_half')),
  CONSTRAINT leave_applications_start_day_part_check CHECK (start_day_part IN ('full', 'first_half', 'second_half')),
  CONSTRAINT leave_applications_status_check
    CHECK (status IN ('pending', 'approved', 'rejected', 'cancelled', 'withdrawn')),
  CONSTRAINT leave_applications_hours_check CHECK ((started_at IS NULL) = (ended_at IS NULL) AND started_at < ended_at),
  CONSTRAINT leave_applications_no_negative_parts_check CHECK (amount >= 0 AND duration_seconds >= 0),
  CONSTRAINT leave_applications_dates_check CHECK (start_date <= end_date),
  CONSTRAINT leave_applications_years_1900_to_2999_check
    CHECK (least(started_at, ended_at, applied_at, reviewed_at, cancelled_at, created_at, updated_at, deleted_at) >=
      '1900-01-01Z' AND greatest(started_at, ended_at, applied_at, reviewed_at, cancelled_at, created_at,
      updated_at, deleted_at) < '3000-01-01Z'),
  CONSTRAINT leave_applications_years_1900_to_9999_check
    CHECK (least(start_date, end_date) >= '1900-01-01' AND greatest(start_date, end_date) <= '9999-12-31'),
  CONSTRAINT leave_applications_zero_or_more_check CHECK (least(duration_seconds) >= 0),
  CONSTRAINT leave_applications_without_nan_check CHECK (greatest(amount) < 'NaN')
);

CREATE INDEX leave_applications_organization_id_created_at_id_idx ON leave_applications (organization_id, created_at,
  id) WHERE deleted_at IS NULL;
CREATE INDEX leave_applications_organization_id_start_date_end_date_idx ON leave_applications (organization_id,
  start_date, end_date);
CREATE INDEX leave_applications_organization_id_status_created_at_id_idx ON leave_applications (organization_id, status,
  created_at, id);
CREATE INDEX leave_applications_organization_id_updated_at_id_idx ON leave_applications (organization_id, updated_at,
  id);
CREATE INDEX leave_applications_organization_id_user_id_created_at_id_idx ON leave_applications (organization_id,
  user_id, created_at, id);
CREATE INDEX leave_applications_leave_type_id_idx ON leave_applications (organization_id, leave_type_id, created_at,
  id);
CREATE INDEX leave_applications_leave_policy_id_idx ON leave_applications (organization_id, leave_policy_id, created_at,
  id) WHERE leave_policy_id IS NOT NULL;
CREATE INDEX leave_applications_leave_period_id_idx ON leave_applications (organization_id, leave_period_id, created_at,
  id) WHERE leave_period_id IS NOT NULL;
CREATE INDEX leave_applications_reviewed_by_user_id_idx ON leave_applications (organization_id, reviewed_by_user_id,
  created_at, id) WHERE reviewed_by_user_id IS NOT NULL;
CREATE INDEX leave_applications_by_start_date_idx ON leave_applications (organization_id, start_date, id) WHERE
  deleted_at IS NULL;

ALTER TABLE leave_applications ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON leave_applications USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON leave_applications TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON leave_applications TO orgdata_writer;

CREATE FUNCTION public.cascade_deletion_of_leave_applications() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.deleted_at IS NULL THEN
    UPDATE public.leave_application_days child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.leave_application_id = NEW.id AND child.deleted_at IS NULL;
  ELSE
    UPDATE public.leave_application_days child SET deleted_at = NEW.deleted_at WHERE child.organization_id = NEW.organization_id AND child.leave_application_id = NEW.id AND child.deleted_at = OLD.deleted_at;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER cascade_deletion AFTER UPDATE ON public.leave_applications FOR EACH ROW
  WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION public.cascade_deletion_of_leave_applications();
COMMENT ON TRIGGER cascade_deletion ON leave_applications IS 'CREATE OR REPLACE TRIGGER cascade_deletion AFTER UPDATE ON public.leave_applications FOR EACH ROW WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at) EXECUTE FUNCTION public.cascade_deletion_of_leave_applications()';
CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.leave_applications FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON leave_applications IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.leave_applications FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE leave_applications IS 'An application of a person for leave.';
COMMENT ON COLUMN leave_applications.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN leave_applications.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN leave_applications.user_id IS 'Who asks for leave.';
COMMENT ON COLUMN leave_applications.leave_type_id IS 'The type.';
COMMENT ON COLUMN leave_applications.leave_policy_id IS 'The policy that pays for it.';
COMMENT ON COLUMN leave_applications.leave_period_id IS 'The period of the first day; later days may be in the next one.';
COMMENT ON COLUMN leave_applications.status IS 'Only approved leave is used.';
COMMENT ON COLUMN leave_applications.start_date IS 'First day, without a time zone.';
COMMENT ON COLUMN leave_applications.end_date IS 'Last day, without a time zone.';
COMMENT ON COLUMN leave_applications.start_day_part IS 'Part of the first day.';
COMMENT ON COLUMN leave_applications.end_day_part IS 'Part of the last day.';
COMMENT ON COLUMN leave_applications.started_at IS 'Start, only for leave of some hours of one day.';
COMMENT ON COLUMN leave_applications.ended_at IS 'End, only for leave of some hours of one day.';
COMMENT ON COLUMN leave_applications.timezone IS 'IANA name of the row''s time zone.';
COMMENT ON COLUMN leave_applications.amount IS 'Sum of its days, in the unit of the type.';
COMMENT ON COLUMN leave_applications.duration_seconds IS 'The same in seconds.';
COMMENT ON COLUMN leave_applications.is_paid IS 'Copy of the type''s value at the time of the application.';
COMMENT ON COLUMN leave_applications.reason IS 'What the person gave as the reason. Erasure makes it null.';
COMMENT ON COLUMN leave_applications.applied_at IS 'When it was asked for.';
COMMENT ON COLUMN leave_applications.reviewed_by_user_id IS 'Who decided.';
COMMENT ON COLUMN leave_applications.reviewed_at IS 'When it was decided.';
COMMENT ON COLUMN leave_applications.review_note IS 'What the reviewer gave as the reason. Erasure makes it null.';
COMMENT ON COLUMN leave_applications.cancelled_at IS 'When it was cancelled or withdrawn.';
COMMENT ON COLUMN leave_applications.has_attachment IS 'Whether a document is stored elsewhere.';
COMMENT ON COLUMN leave_applications.created_at IS 'When the row was made.';
COMMENT ON COLUMN leave_applications.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN leave_applications.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- leave_assignments

CREATE TABLE leave_assignments (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  leave_policy_id uuid NOT NULL,
  leave_period_id uuid,
  entitlement numeric(9,2),
  effective_from date NOT NULL,
  effective_to date,
  is_active boolean DEFAULT true NOT NULL,
  assigned_by_user_id uuid,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT leave_assignments_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT leave_assignments_organization_id_assigned_by_user_id_fkey
    FOREIGN KEY (organization_id, assigned_by_user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT leave_assignments_organization_id_leave_period_id_fkey
    FOREIGN KEY (organization_id, leave_period_id) REFERENCES leave_periods (organization_id, id),
  CONSTRAINT leave_assignments_organization_id_leave_policy_id_fkey
    FOREIGN KEY (organization_id, leave_policy_id) REFERENCES leave_policies (organization_id, id),
  CONSTRAINT leave_assignments_organization_id_user_id_fkey
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT leave_assignments_organization_id_fkey
    FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT leave_assignments_dates_check CHECK (effective_from <= effective_to),
  CONSTRAINT leave_assignments_years_1900_to_2999_check
    CHECK (least(created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(created_at, updated_at, deleted_at)
      < '3000-01-01Z'),
  CONSTRAINT leave_assignments_years_1900_to_9999_check
    CHECK (least(effective_from, effective_to) >= '1900-01-01' AND greatest(effective_from, effective_to) <=
      '9999-12-31'),
  CONSTRAINT leave_assignments_without_nan_check CHECK (greatest(entitlement) < 'NaN')
);

CREATE INDEX leave_assignments_organization_id_created_at_id_idx ON leave_assignments (organization_id, created_at, id)
  WHERE deleted_at IS NULL;
CREATE INDEX leave_assignments_organization_id_updated_at_id_idx ON leave_assignments (organization_id, updated_at, id);
CREATE INDEX leave_assignments_organization_id_user_id_created_at_id_idx ON leave_assignments (organization_id, user_id,
  created_at, id);
CREATE INDEX leave_assignments_leave_policy_id_idx ON leave_assignments (organization_id, leave_policy_id, created_at,
  id);
CREATE INDEX leave_assignments_leave_period_id_idx ON leave_assignments (organization_id, leave_period_id, created_at,
  id) WHERE leave_period_id IS NOT NULL;

ALTER TABLE leave_assignments ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON leave_assignments USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON leave_assignments TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON leave_assignments TO orgdata_writer;

CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.leave_assignments FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON leave_assignments IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.leave_assignments FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE leave_assignments IS 'A policy that holds for a person.';
COMMENT ON COLUMN leave_assignments.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN leave_assignments.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN leave_assignments.user_id IS 'The person.';
COMMENT ON COLUMN leave_assignments.leave_policy_id IS 'The policy.';
COMMENT ON COLUMN leave_assignments.leave_period_id IS 'The period; null: every period.';
COMMENT ON COLUMN leave_assignments.entitlement IS 'Replaces that of the policy.';
COMMENT ON COLUMN leave_assignments.effective_from IS 'First day on which it holds.';
COMMENT ON COLUMN leave_assignments.effective_to IS 'Last day on which it holds; null: without end.';
COMMENT ON COLUMN leave_assignments.is_active IS 'Whether it is used.';
COMMENT ON COLUMN leave_assignments.assigned_by_user_id IS 'Who assigned it.';
COMMENT ON COLUMN leave_assignments.created_at IS 'When the row was made.';
COMMENT ON COLUMN leave_assignments.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN leave_assignments.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- leave_balances

CREATE TABLE leave_balances (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  leave_policy_id uuid NOT NULL,
  leave_period_id uuid NOT NULL,
  entitled numeric(9,2) DEFAULT 0 NOT NULL,
  accrued numeric(9,2) DEFAULT 0 NOT NULL,
  carried_over numeric(9,2) DEFAULT 0 NOT NULL,
  adjusted numeric(9,2) DEFAULT 0 NOT NULL,
  used numeric(9,2) DEFAULT 0 NOT NULL,
  pending numeric(9,2) DEFAULT 0 NOT NULL,
  expired numeric(9,2) DEFAULT 0 NOT NULL,
  as_of date NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT leave_balances_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT leave_balances_organization_id_leave_period_id_fkey
    FOREIGN KEY (organization_id, leave_period_id) REFERENCES leave_periods (organization_id, id),
  CONSTRAINT leave_balances_organization_id_leave_policy_id_fkey
    FOREIGN KEY (organization_id, leave_policy_id) REFERENCES leave_policies (organization_id, id),
  CONSTRAINT leave_balances_organization_id_user_id_fkey
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id),
  CONSTRAINT leave_balances_organization_id_fkey
    FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT leave_balances_no_negative_parts_check
    CHECK (least(entitled, accrued, carried_over, used, pending, expired) >= 0),
  CONSTRAINT leave_balances_years_1900_to_2999_check
    CHECK (least(created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(created_at, updated_at, deleted_at)
      < '3000-01-01Z'),
  CONSTRAINT leave_balances_years_1900_to_9999_check
    CHECK (least(as_of) >= '1900-01-01' AND greatest(as_of) <= '9999-12-31'),
  CONSTRAINT leave_balances_without_nan_check
    CHECK (greatest(entitled, accrued, carried_over, adjusted, used, pending, expired) < 'NaN')
);

CREATE UNIQUE INDEX leave_balances_live_key ON leave_balances (organization_id, user_id, leave_policy_id,
  leave_period_id) WHERE deleted_at IS NULL;
CREATE INDEX leave_balances_organization_id_created_at_id_idx ON leave_balances (organization_id, created_at, id) WHERE
  deleted_at IS NULL;
CREATE INDEX leave_balances_organization_id_leave_period_id_created__4246 ON leave_balances (organization_id,
  leave_period_id, created_at, id);
CREATE INDEX leave_balances_organization_id_updated_at_id_idx ON leave_balances (organization_id, updated_at, id);
CREATE INDEX leave_balances_organization_id_user_id_created_at_id_idx ON leave_balances (organization_id, user_id,
  created_at, id);
CREATE INDEX leave_balances_leave_policy_id_idx ON leave_balances (organization_id, leave_policy_id, created_at, id);

ALTER TABLE leave_balances ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON leave_balances USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON leave_balances TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON leave_balances TO orgdata_writer;

CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.leave_balances FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON leave_balances IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.leave_balances FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE leave_balances IS 'What a person has, took and asked for of one policy in one period. Written by the writer of leave.';
COMMENT ON COLUMN leave_balances.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN leave_balances.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN leave_balances.user_id IS 'The person.';
COMMENT ON COLUMN leave_balances.leave_policy_id IS 'The policy.';
COMMENT ON COLUMN leave_balances.leave_period_id IS 'The period.';
COMMENT ON COLUMN leave_balances.entitled IS 'What the period gives.';
COMMENT ON COLUMN leave_balances.accrued IS 'What was collected until as_of.';
COMMENT ON COLUMN leave_balances.carried_over IS 'What came from the period before.';
COMMENT ON COLUMN leave_balances.adjusted IS 'Manual corrections; may be negative.';
COMMENT ON COLUMN leave_balances.used IS 'Sum of approved leave.';
COMMENT ON COLUMN leave_balances.pending IS 'Sum of leave that is not decided.';
COMMENT ON COLUMN leave_balances.expired IS 'What was lost.';
COMMENT ON COLUMN leave_balances.as_of IS 'Day on which the numbers were right.';
COMMENT ON COLUMN leave_balances.created_at IS 'When the row was made.';
COMMENT ON COLUMN leave_balances.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN leave_balances.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- leave_application_days

CREATE TABLE leave_application_days (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  leave_application_id uuid NOT NULL,
  date date NOT NULL,
  amount numeric(9,2) DEFAULT 0 NOT NULL,
  duration_seconds integer NOT NULL,
  is_holiday boolean DEFAULT false NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  updated_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT leave_application_days_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT leave_application_days_organization_id_leave_applicatio_66e4
    FOREIGN KEY (organization_id, leave_application_id) REFERENCES leave_applications (organization_id, id),
  CONSTRAINT leave_application_days_organization_id_fkey
    FOREIGN KEY (organization_id) REFERENCES organizations (organization_id),
  CONSTRAINT leave_application_days_no_negative_parts_check CHECK (amount >= 0 AND duration_seconds >= 0),
  CONSTRAINT leave_application_days_years_1900_to_2999_check
    CHECK (least(created_at, updated_at, deleted_at) >= '1900-01-01Z' AND greatest(created_at, updated_at, deleted_at)
      < '3000-01-01Z'),
  CONSTRAINT leave_application_days_years_1900_to_9999_check
    CHECK (least(date) >= '1900-01-01' AND greatest(date) <= '9999-12-31'),
  CONSTRAINT leave_application_days_zero_or_more_check CHECK (least(duration_seconds) >= 0),
  CONSTRAINT leave_application_days_without_nan_check CHECK (greatest(amount) < 'NaN')
);

CREATE UNIQUE INDEX leave_application_days_live_key ON leave_application_days (organization_id, leave_application_id,
  date) WHERE deleted_at IS NULL;

ALTER TABLE leave_application_days ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON leave_application_days USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON leave_application_days TO orgdata_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON leave_application_days TO orgdata_writer;

CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.leave_application_days FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION public.set_updated_at();
COMMENT ON TRIGGER set_updated_at ON leave_application_days IS 'CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON public.leave_application_days FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION public.set_updated_at()';

COMMENT ON TABLE leave_application_days IS 'One day of an application; its amounts add up to the application''s.';
COMMENT ON COLUMN leave_application_days.organization_id IS 'The organization that the row belongs to.';
COMMENT ON COLUMN leave_application_days.id IS 'UUID that clients treat as opaque.';
COMMENT ON COLUMN leave_application_days.leave_application_id IS 'The application.';
COMMENT ON COLUMN leave_application_days.date IS 'Calendar date, without a time zone.';
COMMENT ON COLUMN leave_application_days.amount IS 'Part of the day, in the unit of the type; 0 on holidays.';
COMMENT ON COLUMN leave_application_days.duration_seconds IS 'The same in seconds.';
COMMENT ON COLUMN leave_application_days.is_holiday IS 'Whether it is a public holiday.';
COMMENT ON COLUMN leave_application_days.created_at IS 'When the row was made.';
COMMENT ON COLUMN leave_application_days.updated_at IS 'When the row changed last; a trigger moves it, and clients poll by it.';
COMMENT ON COLUMN leave_application_days.deleted_at IS 'When the row was deleted; null: live. Only polling shows it.';

-- erasures

CREATE TABLE erasures (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  erased_at timestamptz NOT NULL,
  row_counts jsonb NOT NULL,
  object_count integer NOT NULL,
  CONSTRAINT erasures_pkey PRIMARY KEY (organization_id, user_id, erased_at),
  CONSTRAINT erasures_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (organization_id)
);

ALTER TABLE erasures ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON erasures USING (
  organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())
);

GRANT SELECT ON erasures TO orgdata_service;

COMMENT ON TABLE erasures IS 'An erasure of a person''s data by `orgdata erase`. Imports refuse to bring the data back.';
COMMENT ON COLUMN erasures.organization_id IS 'The organization.';
COMMENT ON COLUMN erasures.user_id IS 'The person, whose id stays in records.';
COMMENT ON COLUMN erasures.erased_at IS 'When the data was erased.';
COMMENT ON COLUMN erasures.row_counts IS 'Object: how many rows of each table were changed.';
COMMENT ON COLUMN erasures.object_count IS 'How many stored objects were listed for deletion.';

-- trusted_documents

CREATE TABLE trusted_documents (
  team text NOT NULL,
  document_id text NOT NULL,
  operation_name text NOT NULL,
  document text NOT NULL,
  created_at timestamptz DEFAULT statement_timestamp() NOT NULL,
  CONSTRAINT trusted_documents_pkey PRIMARY KEY (team, document_id),
  CONSTRAINT trusted_documents_team_check CHECK (team <> ''),
  CONSTRAINT trusted_documents_document_id_check CHECK (document_id ~ '^sha256:[0-9a-f]{64}$')
);

GRANT SELECT ON trusted_documents TO orgdata_service;

COMMENT ON TABLE trusted_documents IS 'A GraphQL document that a team asks for by id. Operators add it, after it was checked against the schema.';
COMMENT ON COLUMN trusted_documents.team IS 'The team that may ask for it: the label of its tokens.';
COMMENT ON COLUMN trusted_documents.document_id IS 'sha256: and the SHA-256 of the document, in hexadecimal.';
COMMENT ON COLUMN trusted_documents.operation_name IS 'The name of the operation in it.';
COMMENT ON COLUMN trusted_documents.document IS 'One operation, and the fragments that it uses.';
COMMENT ON COLUMN trusted_documents.created_at IS 'When it was added.';

-- Autovacuum of the tables that grow each day. By default a table of a billion rows is vacuumed after 200 million dead or
-- new ones; until then reports that read new rows by index alone look into the heap for each of them.
ALTER TABLE timesheets SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.01,
  autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE idle_times SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.01,
  autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE activity_slots SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.01,
  autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE clock_records SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.01,
  autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE app_usages SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.01,
  autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE url_usages SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.01,
  autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE screenshots SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.01,
  autovacuum_analyze_scale_factor = 0.02);
