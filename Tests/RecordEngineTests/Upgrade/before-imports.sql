BEGIN TRANSACTION;
CREATE TABLE account (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    record_name TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    password TEXT,
    created INTEGER NOT NULL,
    -- The sequence number of the last change of its roles: older sync tokens are refused.
    granted INTEGER NOT NULL DEFAULT 0
, kind INTEGER NOT NULL DEFAULT 0, disabled INTEGER, name_key TEXT NOT NULL DEFAULT '');
INSERT INTO "account" VALUES(16,'_1931045ae966927370e9eefba6b95f5a','ann','$scrypt$ln=15,r=8,p=3$Vkx46NXSbYY+4Gr1HXQ+qg$SDIuO+Q6W+yUzZEmr8NFWa5gmKbnC1hdPEaufci2Znw',1795974077151,0,0,NULL,'ann');
INSERT INTO "account" VALUES(17,'_90e599c857cd4cf686b7d0373375b674','bob','$scrypt$ln=15,r=8,p=3$ZIwLSdnxcNxCqXc2ZpS38w$/4a2qp+j8fYJ65jIYuwjRzZjf9VwZ182qNU2T7gadJU',1795974083113,0,0,NULL,'bob');
INSERT INTO "account" VALUES(18,'_d54459c213b5235da269a6370786d9b1','eve','$scrypt$ln=15,r=8,p=3$RfdhKiKW3alycNiJlFgeJA$LCmEi+HZi3W7xda27nP5nUtZLRrcMyW2a/+KjCtBR24',1795974087177,4,0,NULL,'eve');
INSERT INTO "account" VALUES(19,'_080188b556714154c59250293bd1906d','_080188b556714154c59250293bd1906d',NULL,1795974095098,0,2,NULL,'_080188b556714154c59250293bd1906d');
CREATE TABLE account_removal (account INTEGER PRIMARY KEY, since INTEGER NOT NULL);
CREATE TABLE api_key (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    public_id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE,
    overlap_hash BLOB UNIQUE,
    overlaps INTEGER,
    scope TEXT NOT NULL,
    account INTEGER NOT NULL UNIQUE,
    created INTEGER NOT NULL,
    expires INTEGER,
    used INTEGER,
    revoked INTEGER
, key_id TEXT, public_key BLOB);
INSERT INTO "api_key" VALUES(1,'667883f72d48f4f0ece61fbfafda6ca3','robot','vSRuTcEd',X'973F6D6DA18FFAB38A8F85657F61B036BA0CB217ADEAF42D76606E9A434320AD',NULL,NULL,'{"types":["Goods"],"actions":["read","create","write"]}',19,1795974095098,NULL,1795974095171,NULL,NULL,NULL);
CREATE TABLE asset (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    hash BLOB NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    file INTEGER NOT NULL,
    orphaned INTEGER,
    format INTEGER NOT NULL,
    width INTEGER NOT NULL,
    height INTEGER NOT NULL,
    orientation INTEGER NOT NULL
);
CREATE TABLE asset_claim (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    asset INTEGER NOT NULL,
    uploader INTEGER NOT NULL,
    scope INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    size INTEGER NOT NULL,
    content_type TEXT,
    filename TEXT,
    expires INTEGER NOT NULL,
    used INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE asset_link (
    record INTEGER NOT NULL,
    field INTEGER NOT NULL,
    asset INTEGER NOT NULL,
    PRIMARY KEY (record, field, asset)
) WITHOUT ROWID;
CREATE TABLE asset_unused (uploader INTEGER PRIMARY KEY, bytes INTEGER NOT NULL);
CREATE TABLE audience (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    zone INTEGER NOT NULL,
    principal INTEGER NOT NULL,
    UNIQUE (zone, principal)
);
INSERT INTO "audience" VALUES(1,1,9223372036854775807);
INSERT INTO "audience" VALUES(2,1,16);
INSERT INTO "audience" VALUES(3,1,17);
INSERT INTO "audience" VALUES(4,3,9223372036854775807);
INSERT INTO "audience" VALUES(5,3,-4611686018427387926);
CREATE TABLE audience_record (
    audience INTEGER NOT NULL,
    type INTEGER NOT NULL,
    record INTEGER NOT NULL,
    creator INTEGER NOT NULL,
    PRIMARY KEY (audience, type, record)
) WITHOUT ROWID;
INSERT INTO "audience_record" VALUES(1,4,15,16);
INSERT INTO "audience_record" VALUES(2,4,15,16);
INSERT INTO "audience_record" VALUES(3,4,15,16);
INSERT INTO "audience_record" VALUES(4,-1,22,16);
INSERT INTO "audience_record" VALUES(4,6,20,16);
INSERT INTO "audience_record" VALUES(4,7,21,16);
INSERT INTO "audience_record" VALUES(5,-1,22,16);
INSERT INTO "audience_record" VALUES(5,6,20,16);
INSERT INTO "audience_record" VALUES(5,7,21,16);
CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    actor_kind TEXT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    outcome TEXT NOT NULL,
    address TEXT NOT NULL,
    request TEXT NOT NULL,
    detail TEXT
);
INSERT INTO "audit" VALUES(1,1795974077151,'administrator','_administrator','user.create','ann','done','127.0.0.1','31b160600000001','{"userRecordName":"_1931045ae966927370e9eefba6b95f5a"}');
INSERT INTO "audit" VALUES(2,1795974083113,'administrator','_administrator','user.create','bob','done','127.0.0.1','31b160600000002','{"userRecordName":"_90e599c857cd4cf686b7d0373375b674"}');
INSERT INTO "audit" VALUES(3,1795974087177,'administrator','_administrator','user.create','eve','done','127.0.0.1','31b160600000003','{"userRecordName":"_d54459c213b5235da269a6370786d9b1"}');
INSERT INTO "audit" VALUES(4,1795974089549,'administrator','_administrator','role.put','editors','done','127.0.0.1','31b160600000004','{"members":1,"added":["_d54459c213b5235da269a6370786d9b1"],"removed":[]}');
INSERT INTO "audit" VALUES(5,1795974089555,'administrator','_administrator','grants.put','Goods','done','127.0.0.1','31b160600000005','{"before":{"grants":{"_creator":["WRITE"],"_icloud":["CREATE"],"_world":["READ"]}},"after":{"grants":{"_creator":["WRITE"],"_icloud":["CREATE"],"_world":["READ"],"editors":["WRITE"]},"fields":{"cost":{"read":["editors"],"write":["editors"]}}}}');
INSERT INTO "audit" VALUES(6,1795974089555,'administrator','_administrator','grants.put','Secret','done','127.0.0.1','31b160600000005','{"before":{"grants":{"_creator":["WRITE"],"_icloud":["CREATE"],"_world":["READ"]}},"after":{"grants":{"_icloud":["CREATE","READ"]},"aclRequired":true}}');
INSERT INTO "audit" VALUES(7,1795974089555,'administrator','_administrator','schema.put','','done','127.0.0.1','31b160600000005','{"added":["Goods","Maker","Secret"]}');
INSERT INTO "audit" VALUES(8,1795974095098,'administrator','_administrator','key.create','robot','done','127.0.0.1','31b160600000008','{"id":"667883f72d48f4f0ece61fbfafda6ca3","name":"robot","prefix":"vSRuTcEd","scope":{"types":["Goods"],"actions":["read","create","write"]}}');
INSERT INTO "audit" VALUES(9,1795974095099,'administrator','_administrator','cloudKitToken.create','app','done','127.0.0.1','31b160600000009','{"id":"95389834caac953c4f09397407f63b7c","name":"app","prefix":"09fd2fe0","origins":["https://app.example.org"],"callback":null,"notes":""}');
INSERT INTO "audit" VALUES(10,1795974095100,'administrator','_administrator','invitation.create','5c9f5a5925eb4c08db1054839354fc4f','done','127.0.0.1','31b16060000000a','{"uses":1,"expiresAt":1796578895100,"roles":[]}');
INSERT INTO "audit" VALUES(11,1795974095136,'administrator','_administrator','records.preserve','Maker','done','127.0.0.1','31b16060000000b','{"records":1,"types":["Maker"]}');
INSERT INTO "audit" VALUES(12,1795974095180,'administrator','_administrator','schedule.put','nightly','done','127.0.0.1','2330ce40000001d','{"cron":"0 3 1 1 *","timeZone":"UTC","paused":false}');
INSERT INTO "audit" VALUES(13,1795974095182,'administrator','_administrator','webhook.create','c439e0c7af499e65f7105c1473949e84','done','127.0.0.1','2330ce40000001e','{"url":"https://hooks.example.org/none","state":"active","readsAs":"administrator"}');
INSERT INTO "audit" VALUES(14,1795974095186,'administrator','_administrator','webhook.pause','c439e0c7af499e65f7105c1473949e84','done','127.0.0.1','2330ce40000001f','{"url":"https://hooks.example.org/none","state":"paused","readsAs":"administrator"}');
CREATE TABLE audit_count (outcome TEXT PRIMARY KEY, entries INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO "audit_count" VALUES('done',14);
CREATE TABLE audit_retention (position INTEGER PRIMARY KEY CHECK (position = 1), before INTEGER NOT NULL, refused_before INTEGER NOT NULL DEFAULT 0);
INSERT INTO "audit_retention" VALUES(1,0,0);
CREATE TABLE cloudkit_token (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    public_id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    prefix TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE,
    origins TEXT,
    callback TEXT,
    notes TEXT NOT NULL,
    created INTEGER NOT NULL,
    used INTEGER
);
INSERT INTO "cloudkit_token" VALUES(1,'95389834caac953c4f09397407f63b7c','app','09fd2fe0',X'8A5144E59739BC82D55CE119EF28DA74341C872DC802168F68FFDB4371419FBA','["https://app.example.org"]',NULL,'',1795974095099,NULL);
CREATE TABLE edge (
    zone INTEGER NOT NULL,
    target TEXT NOT NULL,
    source INTEGER NOT NULL,
    field INTEGER NOT NULL,
    action INTEGER NOT NULL,
    PRIMARY KEY (zone, target, source, field)
) WITHOUT ROWID;
INSERT INTO "edge" VALUES(1,'m1',9,7,2);
INSERT INTO "edge" VALUES(1,'m1',9,13,2);
INSERT INTO "edge" VALUES(1,'m1',10,7,2);
INSERT INTO "edge" VALUES(1,'m1',10,13,2);
INSERT INTO "edge" VALUES(1,'m1',11,7,2);
INSERT INTO "edge" VALUES(1,'m1',11,13,2);
INSERT INTO "edge" VALUES(1,'m1',12,7,2);
INSERT INTO "edge" VALUES(1,'m1',12,13,2);
CREATE TABLE field (
    type INTEGER NOT NULL,
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind INTEGER NOT NULL, options INTEGER NOT NULL DEFAULT 0, readers TEXT, writers TEXT,
    PRIMARY KEY (type, id),
    UNIQUE (type, name)
) WITHOUT ROWID;
INSERT INTO "field" VALUES(2,1,'title',1,7,NULL,NULL);
INSERT INTO "field" VALUES(2,2,'count',2,3,NULL,NULL);
INSERT INTO "field" VALUES(2,3,'price',3,0,NULL,NULL);
INSERT INTO "field" VALUES(2,4,'made',4,2,NULL,NULL);
INSERT INTO "field" VALUES(2,5,'data',5,0,NULL,NULL);
INSERT INTO "field" VALUES(2,6,'place',8,1,NULL,NULL);
INSERT INTO "field" VALUES(2,7,'maker',6,1,NULL,NULL);
INSERT INTO "field" VALUES(2,8,'file',7,0,NULL,NULL);
INSERT INTO "field" VALUES(2,9,'tags',17,1,NULL,NULL);
INSERT INTO "field" VALUES(2,10,'counts',18,0,NULL,NULL);
INSERT INTO "field" VALUES(2,11,'prices',19,0,NULL,NULL);
INSERT INTO "field" VALUES(2,12,'times',20,0,NULL,NULL);
INSERT INTO "field" VALUES(2,13,'makers',22,0,NULL,NULL);
INSERT INTO "field" VALUES(2,14,'cost',2,0,'editors','editors');
INSERT INTO "field" VALUES(2,15,'note',1,0,NULL,NULL);
INSERT INTO "field" VALUES(3,1,'name',1,1,NULL,NULL);
INSERT INTO "field" VALUES(4,1,'title',1,1,NULL,NULL);
INSERT INTO "field" VALUES(5,1,'title',1,0,NULL,NULL);
INSERT INTO "field" VALUES(6,1,'title',1,0,NULL,NULL);
INSERT INTO "field" VALUES(7,1,'title',1,0,NULL,NULL);
CREATE TABLE gone_account (account INTEGER PRIMARY KEY);
CREATE TABLE hierarchy (
    record INTEGER PRIMARY KEY,
    parent INTEGER,
    guid TEXT
);
INSERT INTO "hierarchy" VALUES(21,20,NULL);
CREATE TABLE idempotency (
    id INTEGER PRIMARY KEY,
    caller INTEGER NOT NULL,
    key TEXT NOT NULL,
    request BLOB NOT NULL,
    created INTEGER NOT NULL,
    outcome INTEGER NOT NULL,
    name TEXT,
    tag TEXT,
    body BLOB,
    bytes INTEGER NOT NULL,
    UNIQUE (caller, key)
);
CREATE TABLE idempotency_sum (caller INTEGER PRIMARY KEY, bytes INTEGER NOT NULL);
CREATE TABLE index_1 (
    zone INTEGER NOT NULL, key BLOB NOT NULL, record INTEGER NOT NULL, 
    PRIMARY KEY (zone, key, record)
) WITHOUT ROWID;
INSERT INTO "index_1" VALUES(1,X'0280000000000000000253656120616E6420666F67203000',9);
INSERT INTO "index_1" VALUES(1,X'0280000000000000010253656120616E6420666F67203100',10);
INSERT INTO "index_1" VALUES(1,X'0280000000000000020253656120616E6420666F67203200',11);
INSERT INTO "index_1" VALUES(1,X'0280000000000000030253656120616E6420666F67203300',12);
CREATE TABLE index_10 (
    zone INTEGER NOT NULL, key BLOB NOT NULL, record INTEGER NOT NULL, 
    PRIMARY KEY (zone, key, record)
) WITHOUT ROWID;
INSERT INTO "index_10" VALUES(-3,X'02666F722074776F00',15);
INSERT INTO "index_10" VALUES(-2,X'02666F722074776F00',15);
INSERT INTO "index_10" VALUES(-1,X'02666F722074776F00',15);
CREATE TABLE index_11 (
    zone INTEGER NOT NULL, key BLOB NOT NULL, record INTEGER NOT NULL, 
    PRIMARY KEY (zone, key, record)
) WITHOUT ROWID;
INSERT INTO "index_11" VALUES(1,X'0280000000000F4240',16);
INSERT INTO "index_11" VALUES(1,X'02800001A22865E103',6);
INSERT INTO "index_11" VALUES(1,X'02800001A22865E104',7);
INSERT INTO "index_11" VALUES(1,X'02800001A22865E105',8);
CREATE TABLE index_2 (
    zone INTEGER NOT NULL, key BLOB NOT NULL, record INTEGER NOT NULL, 
    PRIMARY KEY (zone, key, record)
) WITHOUT ROWID;
INSERT INTO "index_2" VALUES(1,X'0253656120616E6420666F67203000',9);
INSERT INTO "index_2" VALUES(1,X'0253656120616E6420666F67203100',10);
INSERT INTO "index_2" VALUES(1,X'0253656120616E6420666F67203200',11);
INSERT INTO "index_2" VALUES(1,X'0253656120616E6420666F67203300',12);
CREATE TABLE index_3 (
    zone INTEGER NOT NULL, key BLOB NOT NULL, record INTEGER NOT NULL, payload INTEGER NOT NULL,
    PRIMARY KEY (zone, key, record)
) WITHOUT ROWID;
INSERT INTO "index_3" VALUES(1,X'0200',9,4);
INSERT INTO "index_3" VALUES(1,X'0200',10,4);
INSERT INTO "index_3" VALUES(1,X'0200',11,4);
INSERT INTO "index_3" VALUES(1,X'0200',12,4);
INSERT INTO "index_3" VALUES(1,X'023000',9,257);
INSERT INTO "index_3" VALUES(1,X'023100',10,257);
INSERT INTO "index_3" VALUES(1,X'023200',11,257);
INSERT INTO "index_3" VALUES(1,X'023300',12,257);
INSERT INTO "index_3" VALUES(1,X'02616E6400',9,257);
INSERT INTO "index_3" VALUES(1,X'02616E6400',10,257);
INSERT INTO "index_3" VALUES(1,X'02616E6400',11,257);
INSERT INTO "index_3" VALUES(1,X'02616E6400',12,257);
INSERT INTO "index_3" VALUES(1,X'02666F6700',9,257);
INSERT INTO "index_3" VALUES(1,X'02666F6700',10,257);
INSERT INTO "index_3" VALUES(1,X'02666F6700',11,257);
INSERT INTO "index_3" VALUES(1,X'02666F6700',12,257);
INSERT INTO "index_3" VALUES(1,X'0273656100',9,257);
INSERT INTO "index_3" VALUES(1,X'0273656100',10,257);
INSERT INTO "index_3" VALUES(1,X'0273656100',11,257);
INSERT INTO "index_3" VALUES(1,X'0273656100',12,257);
CREATE TABLE index_4 (
    zone INTEGER NOT NULL, key BLOB NOT NULL, record INTEGER NOT NULL, 
    PRIMARY KEY (zone, key, record)
) WITHOUT ROWID;
INSERT INTO "index_4" VALUES(1,X'028000000000000000',9);
INSERT INTO "index_4" VALUES(1,X'028000000000000001',10);
INSERT INTO "index_4" VALUES(1,X'028000000000000002',11);
INSERT INTO "index_4" VALUES(1,X'028000000000000003',12);
CREATE TABLE index_5 (
    zone INTEGER NOT NULL, key BLOB NOT NULL, record INTEGER NOT NULL, 
    PRIMARY KEY (zone, key, record)
) WITHOUT ROWID;
INSERT INTO "index_5" VALUES(1,X'028000019AD7358400',9);
INSERT INTO "index_5" VALUES(1,X'028000019AD7358401',10);
INSERT INTO "index_5" VALUES(1,X'028000019AD7358402',11);
INSERT INTO "index_5" VALUES(1,X'028000019AD7358403',12);
CREATE TABLE index_6 (
    zone INTEGER NOT NULL, key BLOB NOT NULL, record INTEGER NOT NULL, 
    PRIMARY KEY (zone, key, record)
) WITHOUT ROWID;
INSERT INTO "index_6" VALUES(1,X'02902BABB583019F2B',9);
INSERT INTO "index_6" VALUES(1,X'02902BB04F6D66DA24',10);
INSERT INTO "index_6" VALUES(1,X'02902BBE762EA5C93C',11);
INSERT INTO "index_6" VALUES(1,X'02902BC086D26535CD',12);
CREATE TABLE index_7 (
    zone INTEGER NOT NULL, key BLOB NOT NULL, record INTEGER NOT NULL, 
    PRIMARY KEY (zone, key, record)
) WITHOUT ROWID;
INSERT INTO "index_7" VALUES(1,X'026D3100',9);
INSERT INTO "index_7" VALUES(1,X'026D3100',10);
INSERT INTO "index_7" VALUES(1,X'026D3100',11);
INSERT INTO "index_7" VALUES(1,X'026D3100',12);
CREATE TABLE index_8 (
    zone INTEGER NOT NULL, key BLOB NOT NULL, record INTEGER NOT NULL, 
    PRIMARY KEY (zone, key, record)
) WITHOUT ROWID;
INSERT INTO "index_8" VALUES(1,X'02666F6700',9);
INSERT INTO "index_8" VALUES(1,X'02666F6700',10);
INSERT INTO "index_8" VALUES(1,X'02666F6700',11);
INSERT INTO "index_8" VALUES(1,X'02666F6700',12);
INSERT INTO "index_8" VALUES(1,X'027461673000',9);
INSERT INTO "index_8" VALUES(1,X'027461673000',12);
INSERT INTO "index_8" VALUES(1,X'027461673100',10);
INSERT INTO "index_8" VALUES(1,X'027461673200',11);
CREATE TABLE index_9 (
    zone INTEGER NOT NULL, key BLOB NOT NULL, record INTEGER NOT NULL, 
    PRIMARY KEY (zone, key, record)
) WITHOUT ROWID;
INSERT INTO "index_9" VALUES(1,X'024D616B6572203000',6);
INSERT INTO "index_9" VALUES(1,X'024D616B6572203100',7);
INSERT INTO "index_9" VALUES(1,X'024D616B6572203200',8);
INSERT INTO "index_9" VALUES(1,X'026F6C6400',16);
CREATE TABLE index_definition (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    type INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    columns TEXT NOT NULL,
    is_unique INTEGER NOT NULL,
    is_declared INTEGER NOT NULL,
    state INTEGER NOT NULL,
    position INTEGER NOT NULL DEFAULT 0,
    built INTEGER NOT NULL DEFAULT 0,
    failure TEXT
);
INSERT INTO "index_definition" VALUES(1,2,1,'2,1',0,1,0,0,0,NULL);
INSERT INTO "index_definition" VALUES(2,2,1,'1',0,0,0,0,0,NULL);
INSERT INTO "index_definition" VALUES(3,2,6,'1',0,0,0,0,0,NULL);
INSERT INTO "index_definition" VALUES(4,2,1,'2',0,0,0,0,0,NULL);
INSERT INTO "index_definition" VALUES(5,2,1,'4',0,0,0,0,0,NULL);
INSERT INTO "index_definition" VALUES(6,2,5,'6',0,0,0,0,0,NULL);
INSERT INTO "index_definition" VALUES(7,2,1,'7',0,0,0,0,0,NULL);
INSERT INTO "index_definition" VALUES(8,2,2,'9',0,0,0,0,0,NULL);
INSERT INTO "index_definition" VALUES(9,3,1,'1',0,0,0,0,0,NULL);
INSERT INTO "index_definition" VALUES(10,4,1,'1',0,0,0,0,0,NULL);
INSERT INTO "index_definition" VALUES(11,3,1,'created',0,1,0,0,0,NULL);
CREATE TABLE index_statistic (
    index_id INTEGER PRIMARY KEY,
    entries INTEGER NOT NULL,
    step INTEGER NOT NULL,
    samples BLOB NOT NULL
);
INSERT INTO "index_statistic" VALUES(1,0,1,X'');
INSERT INTO "index_statistic" VALUES(2,0,1,X'');
INSERT INTO "index_statistic" VALUES(3,0,1,X'');
INSERT INTO "index_statistic" VALUES(4,0,1,X'');
INSERT INTO "index_statistic" VALUES(5,0,1,X'');
INSERT INTO "index_statistic" VALUES(6,0,1,X'');
INSERT INTO "index_statistic" VALUES(7,0,1,X'');
INSERT INTO "index_statistic" VALUES(8,0,1,X'');
INSERT INTO "index_statistic" VALUES(9,0,1,X'');
INSERT INTO "index_statistic" VALUES(10,0,1,X'');
CREATE TABLE invitation (
    hash BLOB PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    -- Whose name it is for; NULL for anybody's.
    name TEXT,
    created INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    uses INTEGER NOT NULL,
    used INTEGER NOT NULL DEFAULT 0
, used_at INTEGER) WITHOUT ROWID;
INSERT INTO "invitation" VALUES(X'B81AABB119DE88DA8DF6C05E79143C15299B935E61D9F808790DC1C1DF1B939F','5c9f5a5925eb4c08db1054839354fc4f',NULL,1795974095100,1796578895100,1,0,NULL);
CREATE TABLE invitation_role (
    invitation TEXT NOT NULL,
    role INTEGER NOT NULL,
    PRIMARY KEY (invitation, role)
) WITHOUT ROWID;
CREATE TABLE job (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    -- Who it runs as: the kind and the number of the caller. Both are 0 for the server's own work.
    caller_kind INTEGER NOT NULL,
    caller INTEGER NOT NULL,
    -- Its name when the job was created, as in the audit log.
    actor_kind TEXT NOT NULL,
    actor TEXT NOT NULL,
    scope INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    zone TEXT NOT NULL,
    -- What to do, as a JSON object.
    task BLOB NOT NULL,
    -- The index or account of the server's own work, else 0.
    subject INTEGER NOT NULL,
    created INTEGER NOT NULL,
    started INTEGER,
    ended INTEGER,
    -- Milliseconds of running.
    worked INTEGER NOT NULL DEFAULT 0,
    total INTEGER,
    done INTEGER NOT NULL DEFAULT 0,
    skipped INTEGER NOT NULL DEFAULT 0,
    -- A JSON list, and a JSON object.
    skips BLOB,
    error BLOB,
    -- All records up to this one are done. Records after the last one are not part of the job.
    position INTEGER NOT NULL DEFAULT 0,
    last INTEGER NOT NULL DEFAULT 0,
    -- The schedule that started it. Its number is never given again.
    schedule INTEGER
);
INSERT INTO "job" VALUES(1,'0659782da70cde8739922f967503e224','updateRecords','succeeded',3,0,'administrator','_administrator',0,0,'_defaultZone',X'7B227265636F726454797065223A22476F6F6473222C226B696E64223A227570646174655265636F726473222C226669656C6473223A7B227072696365223A7B22696E6372656D656E74223A317D7D2C227768657265223A22636F756E74203D3D2036227D',0,1795974095191,1795974095192,1795974095193,0,0,0,0,NULL,NULL,0,31,NULL);
CREATE TABLE large_value (
    id INTEGER PRIMARY KEY,
    record INTEGER NOT NULL,
    field INTEGER NOT NULL,
    value TEXT NOT NULL
);
CREATE TABLE look_alike_account (account INTEGER PRIMARY KEY);
CREATE TABLE lost_zone (
    account INTEGER NOT NULL,
    is_shared INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    name TEXT NOT NULL,
    -- Milliseconds since 1970.
    lost INTEGER NOT NULL, owner_name TEXT,
    PRIMARY KEY (account, is_shared, sequence)
) WITHOUT ROWID;
CREATE TABLE migration (position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
INSERT INTO "migration" VALUES(0,'records');
INSERT INTO "migration" VALUES(1,'schema');
INSERT INTO "migration" VALUES(2,'accounts');
INSERT INTO "migration" VALUES(3,'indexes');
INSERT INTO "migration" VALUES(4,'index statistics');
INSERT INTO "migration" VALUES(5,'assets');
INSERT INTO "migration" VALUES(6,'resumable uploads');
INSERT INTO "migration" VALUES(7,'unused assets');
INSERT INTO "migration" VALUES(8,'access lists');
INSERT INTO "migration" VALUES(9,'kinds of accounts');
INSERT INTO "migration" VALUES(10,'field grants');
INSERT INTO "migration" VALUES(11,'sliding sessions');
INSERT INTO "migration" VALUES(12,'invitations');
INSERT INTO "migration" VALUES(13,'removals of accounts');
INSERT INTO "migration" VALUES(14,'API keys');
INSERT INTO "migration" VALUES(15,'audit');
INSERT INTO "migration" VALUES(16,'usage');
INSERT INTO "migration" VALUES(17,'disabled accounts');
INSERT INTO "migration" VALUES(18,'used invitations');
INSERT INTO "migration" VALUES(19,'remembered answers');
INSERT INTO "migration" VALUES(20,'assets that count again');
INSERT INTO "migration" VALUES(21,'public usage');
INSERT INTO "migration" VALUES(22,'audit of refusals');
INSERT INTO "migration" VALUES(23,'gone accounts');
INSERT INTO "migration" VALUES(24,'required access lists');
INSERT INTO "migration" VALUES(25,'claims of uploaders');
INSERT INTO "migration" VALUES(26,'openings');
INSERT INTO "migration" VALUES(27,'keys of names');
INSERT INTO "migration" VALUES(28,'widened fields');
INSERT INTO "migration" VALUES(29,'preserved dates');
INSERT INTO "migration" VALUES(30,'sums without triggers');
INSERT INTO "migration" VALUES(31,'jobs');
INSERT INTO "migration" VALUES(32,'webhooks');
INSERT INTO "migration" VALUES(33,'zones');
INSERT INTO "migration" VALUES(34,'CloudKit credentials');
INSERT INTO "migration" VALUES(35,'schema snapshots');
INSERT INTO "migration" VALUES(36,'sharing');
INSERT INTO "migration" VALUES(37,'notifications');
INSERT INTO "migration" VALUES(38,'zones of webhooks');
CREATE TABLE notification_token (
    account INTEGER NOT NULL,
    number INTEGER NOT NULL,
    environment TEXT NOT NULL,
    used INTEGER NOT NULL,
    position TEXT NOT NULL,
    PRIMARY KEY (account, number)
) WITHOUT ROWID;
CREATE TABLE opening (
    number INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL UNIQUE,
    sequence INTEGER NOT NULL
);
INSERT INTO "opening" VALUES(1,0,0);
INSERT INTO "opening" VALUES(2,1661959487554478874,0);
CREATE TABLE participant (
    share INTEGER NOT NULL,
    -- From 1 on for each share.
    id INTEGER NOT NULL,
    -- NULL for an invitation that no account has accepted yet.
    account INTEGER,
    -- The link of such an invitation.
    guid TEXT UNIQUE,
    -- How the owner names the invited person, such as an e-mail address.
    label TEXT,
    kind INTEGER NOT NULL,
    permission INTEGER NOT NULL,
    status INTEGER NOT NULL,
    -- The sequence number of the last change of the participant's rights.
    changed INTEGER NOT NULL,
    PRIMARY KEY (share, id)
) WITHOUT ROWID;
INSERT INTO "participant" VALUES(22,1,17,NULL,NULL,1,3,2,26);
CREATE TABLE record (
    id INTEGER PRIMARY KEY,
    zone INTEGER NOT NULL,
    name TEXT NOT NULL,
    type INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    creator INTEGER NOT NULL,
    created INTEGER NOT NULL,
    modifier INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    deleted INTEGER NOT NULL DEFAULT 0,
    acl BLOB,
    layout BLOB,
    fields TEXT
, former BLOB, received INTEGER);
INSERT INTO "record" VALUES(1,1,'_1931045ae966927370e9eefba6b95f5a',1,1,209704717701,16,1795974077151,16,1795974077151,0,NULL,X'010000','',NULL,NULL);
INSERT INTO "record" VALUES(2,1,'_90e599c857cd4cf686b7d0373375b674',1,2,961883252084,17,1795974083113,17,1795974083113,0,NULL,X'010000','',NULL,NULL);
INSERT INTO "record" VALUES(3,1,'_d54459c213b5235da269a6370786d9b1',1,3,1047543430324,18,1795974087177,18,1795974087177,0,NULL,X'010000','',NULL,NULL);
INSERT INTO "record" VALUES(6,1,'m0',3,6,549331980322,16,1795974095107,16,1795974095107,0,NULL,X'01070101012A1007','"name":{"value":"Maker 0","type":"STRING"}',NULL,NULL);
INSERT INTO "record" VALUES(7,1,'m1',3,7,832483849953,16,1795974095108,16,1795974095108,0,NULL,X'01070101012A1007','"name":{"value":"Maker 1","type":"STRING"}',NULL,NULL);
INSERT INTO "record" VALUES(8,1,'m2',3,8,432351932569,16,1795974095109,16,1795974095109,0,NULL,X'01070101012A1007','"name":{"value":"Maker 2","type":"STRING"}',NULL,NULL);
INSERT INTO "record" VALUES(9,1,'g0',2,9,1011723774126,16,1795974095110,16,1795974095110,0,NULL,X'416E0C010131110D02022211080303251108040431100805052A1006060845111007064C110209113410070A122C12100B133212100C143911080D16541202','"title":{"value":"Sea and fog 0","type":"STRING"},"count":{"value":0,"type":"INT64"},"price":{"value":0.0,"type":"DOUBLE"},"made":{"value":1764547200000,"type":"TIMESTAMP"},"data":{"value":"Zm9nZm9n","type":"BYTES"},"place":{"value":{"latitude":50.0,"longitude":8.5},"type":"LOCATION"},"maker":{"value":{"recordName":"m1","action":"VALIDATE"},"type":"REFERENCE"},"tags":{"value":["fog","tag0"],"type":"STRING_LIST"},"counts":{"value":[1,0],"type":"INT64_LIST"},"prices":{"value":[0.5,0.25],"type":"DOUBLE_LIST"},"times":{"value":[1764547200000],"type":"TIMESTAMP_LIST"},"makers":{"value":[{"recordName":"m1","action":"VALIDATE"}],"type":"REFERENCE_LIST"}',NULL,NULL);
INSERT INTO "record" VALUES(10,1,'g1',2,10,589202960760,16,1795974095117,16,1795974095117,0,NULL,X'416E0C010131110D02022211080303261108040431100805052A1006060845111007064C110209113410070A122C12100B133212100C143911080D16541202','"title":{"value":"Sea and fog 1","type":"STRING"},"count":{"value":1,"type":"INT64"},"price":{"value":0.25,"type":"DOUBLE"},"made":{"value":1764547200001,"type":"TIMESTAMP"},"data":{"value":"Zm9nZm9n","type":"BYTES"},"place":{"value":{"latitude":50.1,"longitude":8.5},"type":"LOCATION"},"maker":{"value":{"recordName":"m1","action":"VALIDATE"},"type":"REFERENCE"},"tags":{"value":["fog","tag1"],"type":"STRING_LIST"},"counts":{"value":[1,1],"type":"INT64_LIST"},"prices":{"value":[0.5,1.25],"type":"DOUBLE_LIST"},"times":{"value":[1764547200000],"type":"TIMESTAMP_LIST"},"makers":{"value":[{"recordName":"m1","action":"VALIDATE"}],"type":"REFERENCE_LIST"}',NULL,NULL);
INSERT INTO "record" VALUES(11,1,'g2',2,30,812103400778,16,1795974095118,16,1795974095173,0,NULL,X'41710D010131110D02022211080303251108040431100805052A1006060845111007064C110209113410070A122C12100B133212100C143911080D165412020F01261003','"title":{"value":"Sea and fog 2","type":"STRING"},"count":{"value":2,"type":"INT64"},"price":{"value":0.5,"type":"DOUBLE"},"made":{"value":1764547200002,"type":"TIMESTAMP"},"data":{"value":"Zm9nZm9n","type":"BYTES"},"place":{"value":{"latitude":50.2,"longitude":8.5},"type":"LOCATION"},"maker":{"value":{"recordName":"m1","action":"VALIDATE"},"type":"REFERENCE"},"tags":{"value":["fog","tag2"],"type":"STRING_LIST"},"counts":{"value":[1,2],"type":"INT64_LIST"},"prices":{"value":[0.5,2.25],"type":"DOUBLE_LIST"},"times":{"value":[1764547200000],"type":"TIMESTAMP_LIST"},"makers":{"value":[{"recordName":"m1","action":"VALIDATE"}],"type":"REFERENCE_LIST"},"note":{"value":"new","type":"STRING"}',NULL,NULL);
INSERT INTO "record" VALUES(12,1,'g3',2,14,724635689345,16,1795974095121,18,1795974095133,0,NULL,X'41760D010131110D02022211080303261108040431100805052A1006060845111007064C110209113410070A122C12100B133212100C143911080D165412020E02221008','"title":{"value":"Sea and fog 3","type":"STRING"},"count":{"value":3,"type":"INT64"},"price":{"value":0.75,"type":"DOUBLE"},"made":{"value":1764547200003,"type":"TIMESTAMP"},"data":{"value":"Zm9nZm9n","type":"BYTES"},"place":{"value":{"latitude":50.3,"longitude":8.5},"type":"LOCATION"},"maker":{"value":{"recordName":"m1","action":"VALIDATE"},"type":"REFERENCE"},"tags":{"value":["fog","tag0"],"type":"STRING_LIST"},"counts":{"value":[1,3],"type":"INT64_LIST"},"prices":{"value":[0.5,3.25],"type":"DOUBLE_LIST"},"times":{"value":[1764547200000],"type":"TIMESTAMP_LIST"},"makers":{"value":[{"recordName":"m1","action":"VALIDATE"}],"type":"REFERENCE_LIST"},"cost":{"value":17,"type":"INT64"}',NULL,NULL);
INSERT INTO "record" VALUES(13,1,'g4',2,31,1045306511706,16,1795974095130,16,1795974095174,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "record" VALUES(15,1,'s1',4,15,591532051074,16,1795974095134,16,1795974095134,0,X'100000000000000003110000000000000001',X'01070101012B1107','"title":{"value":"for two","type":"STRING"}',NULL,NULL);
INSERT INTO "record" VALUES(16,1,'old',3,16,846245106229,17,1000000,1,1795974095136,0,NULL,X'0103010101261003','"name":{"value":"old","type":"STRING"}',NULL,1795974095136);
INSERT INTO "record" VALUES(18,2,'n1',5,18,491520392189,16,1795974095138,16,1795974095138,0,NULL,X'0104010101281104','"title":{"value":"mine","type":"STRING"}',NULL,NULL);
INSERT INTO "record" VALUES(20,3,'home',6,23,183258139878,16,1795974095146,16,1795974095146,0,X'EAFFFFFFFFFFFFBF03',X'0104010101281104','"title":{"value":"Home","type":"STRING"}',X'FFFFFFFFFFFFFF7F00000000000000801700000000000000',NULL);
INSERT INTO "record" VALUES(21,3,'milk',7,28,101047234081,16,1795974095148,17,1795974095155,0,X'EAFFFFFFFFFFFFBF03',X'01080101012C1108','"title":{"value":"Oat milk","type":"STRING"}',X'FFFFFFFFFFFFFF7F00000000000000801800000000000000',NULL);
INSERT INTO "record" VALUES(22,3,'home-share',-1,27,91756396473,16,1795974095150,17,1795974095154,0,X'EAFFFFFFFFFFFFBF01',X'010000','',NULL,NULL);
CREATE TABLE removal_cascade (
    zone INTEGER NOT NULL,
    target TEXT NOT NULL,
    PRIMARY KEY (zone, target)
) WITHOUT ROWID;
CREATE TABLE resumable_upload (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    uploader INTEGER NOT NULL,
    scope INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    length INTEGER,
    content_type TEXT,
    filename TEXT,
    metadata TEXT,
    expires INTEGER NOT NULL,
    claim INTEGER
, offset INTEGER NOT NULL DEFAULT 0);
CREATE TABLE role (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE);
INSERT INTO "role" VALUES(1,'editors');
CREATE TABLE role_inclusion (
    role INTEGER NOT NULL,
    member INTEGER NOT NULL,
    PRIMARY KEY (role, member)
) WITHOUT ROWID;
CREATE TABLE role_member (
    role INTEGER NOT NULL,
    account INTEGER NOT NULL,
    PRIMARY KEY (role, account)
) WITHOUT ROWID;
INSERT INTO "role_member" VALUES(1,18);
CREATE TABLE schedule (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    -- Who its jobs run as, and what they do: as in the table job.
    caller_kind INTEGER NOT NULL,
    caller INTEGER NOT NULL,
    actor_kind TEXT NOT NULL,
    actor TEXT NOT NULL,
    scope INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    zone TEXT NOT NULL,
    task BLOB NOT NULL,
    cron TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    created INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    -- When the next job starts; NULL while the schedule is paused.
    next INTEGER,
    -- Why the server has paused it.
    problem TEXT,
    -- The last time at which the job before had not ended, so that none was started.
    skipped INTEGER
);
INSERT INTO "schedule" VALUES(1,'nightly',3,0,'administrator','_administrator',0,0,'_defaultZone',X'7B226B696E64223A2264656C6574655265636F726473222C227265636F726454797065223A22476F6F6473222C227768657265223A22636F756E74203D3D20393939227D','0 3 1 1 *','UTC',1795974095180,1795974095180,1798772400000,NULL,NULL);
CREATE TABLE schema_snapshot (
    -- Never reused: a request names a snapshot by its number.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    created INTEGER NOT NULL,
    -- As in the audit log.
    actor_kind TEXT NOT NULL,
    actor TEXT NOT NULL,
    reason TEXT NOT NULL,
    -- A text of the schema language.
    document BLOB NOT NULL
);
CREATE TABLE "session" (
    hash BLOB PRIMARY KEY,
    id TEXT NOT NULL,
    account INTEGER NOT NULL,
    created INTEGER NOT NULL,
    used INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    ends INTEGER NOT NULL,
    label TEXT
, lifetime INTEGER) WITHOUT ROWID;
INSERT INTO "session" VALUES(X'1643A302945FCD0373F156AA4182FE7C59410B65FECD354CFE078CFC44E2B556','5ad3834c0cd287dac4aaea9b0f4cd791',16,1795974080844,1795974080844,1798566080844,1811526080844,NULL,NULL);
INSERT INTO "session" VALUES(X'55829D9E13507AEE940097FDBE8D54C5D6385DBB981D773EE65655BFBFA105A5','1516297db1da0e7841334b04e4eda190',18,1795974087177,1795974087177,1798566087177,1811526087177,NULL,NULL);
INSERT INTO "session" VALUES(X'87898B508FDAE0600836594C04B74898A118E8384D79F24A8F136205E9C9C51F','b15209e742d4818b881ea3a2717efa8b',18,1795974089534,1795974089534,1798566089534,1811526089534,NULL,NULL);
INSERT INTO "session" VALUES(X'EB061E79AB736570C3C037FB0A341F440274ADFE7333B99F4E64631A224BA61A','540d3f46c829db5bc6dc0d100fcd138c',17,1795974083113,1795974083113,1798566083113,1811526083113,NULL,NULL);
INSERT INTO "session" VALUES(X'EC3C8F4A0A59F073049CE9BB5700789FACF5E090668F5D852FBA7E279418100B','775a459ff20998a625947f474e14b776',16,1795974077151,1795974077151,1798566077151,1811526077151,NULL,NULL);
INSERT INTO "session" VALUES(X'F6EF6DA917CF43659685BFF8416CC2695E5BBCEEAE21DFC2F0AB7F5ED1176479','f99ee6e7ff330d64440fa48bb39f2a9c',17,1795974085610,1795974085610,1798566085610,1811526085610,NULL,NULL);
CREATE TABLE setting (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO "setting" VALUES('sequence',31);
INSERT INTO "setting" VALUES('webhookFile',-4099372013621829489);
CREATE TABLE share (
    -- The share record.
    record INTEGER PRIMARY KEY,
    zone INTEGER NOT NULL,
    -- The record at the top of the shared hierarchy. 0 for the whole zone.
    root INTEGER NOT NULL,
    guid TEXT NOT NULL UNIQUE,
    public_permission INTEGER NOT NULL
);
INSERT INTO "share" VALUES(22,3,20,'Z8F0tyP1FM_of6G3YUPRxUg5',0);
CREATE TABLE subscription (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account INTEGER NOT NULL,
    database INTEGER NOT NULL,
    name TEXT NOT NULL,
    definition TEXT NOT NULL,
    created INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    since INTEGER NOT NULL,
    fired INTEGER,
    fired_at INTEGER,
    UNIQUE (account, database, name)
);
INSERT INTO "subscription" VALUES(1,16,0,'cheap','{"type":"query","recordType":"Goods","where":"price < 3","firesOn":["create","update"],"notification":{"alertBody":"Cheap"}}',1795974095172,29,29,NULL,NULL);
CREATE TABLE type (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    -- The sequence number of the last change of its grants: older sync tokens are refused.
    granted INTEGER NOT NULL DEFAULT 0
, has_lists INTEGER NOT NULL DEFAULT 0, default_acl TEXT, acl_required INTEGER NOT NULL DEFAULT 0, has_preserved INTEGER NOT NULL DEFAULT 0);
INSERT INTO "type" VALUES(1,'Users',0,0,NULL,0,0);
INSERT INTO "type" VALUES(2,'Goods',5,0,NULL,0,0);
INSERT INTO "type" VALUES(3,'Maker',0,0,NULL,0,1);
INSERT INTO "type" VALUES(4,'Secret',0,1,NULL,1,0);
INSERT INTO "type" VALUES(5,'Note',0,0,NULL,0,0);
INSERT INTO "type" VALUES(6,'List',0,1,NULL,0,0);
INSERT INTO "type" VALUES(7,'Item',0,1,NULL,0,0);
CREATE TABLE type_grant (
    type INTEGER NOT NULL,
    role TEXT NOT NULL,
    permissions INTEGER NOT NULL,
    PRIMARY KEY (type, role)
) WITHOUT ROWID;
INSERT INTO "type_grant" VALUES(1,'_creator',6);
INSERT INTO "type_grant" VALUES(2,'_creator',4);
INSERT INTO "type_grant" VALUES(2,'_icloud',1);
INSERT INTO "type_grant" VALUES(2,'_world',2);
INSERT INTO "type_grant" VALUES(2,'editors',4);
INSERT INTO "type_grant" VALUES(3,'_creator',4);
INSERT INTO "type_grant" VALUES(3,'_icloud',1);
INSERT INTO "type_grant" VALUES(3,'_world',2);
INSERT INTO "type_grant" VALUES(4,'_icloud',3);
INSERT INTO "type_grant" VALUES(5,'_creator',4);
INSERT INTO "type_grant" VALUES(5,'_icloud',1);
INSERT INTO "type_grant" VALUES(5,'_world',2);
INSERT INTO "type_grant" VALUES(6,'_creator',4);
INSERT INTO "type_grant" VALUES(6,'_icloud',1);
INSERT INTO "type_grant" VALUES(6,'_world',2);
INSERT INTO "type_grant" VALUES(7,'_creator',4);
INSERT INTO "type_grant" VALUES(7,'_icloud',1);
INSERT INTO "type_grant" VALUES(7,'_world',2);
CREATE TABLE usage (
    owner INTEGER PRIMARY KEY,
    records INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    asset_bytes INTEGER NOT NULL
, public_records INTEGER NOT NULL DEFAULT 0, public_bytes INTEGER NOT NULL DEFAULT 0, public_asset_bytes INTEGER NOT NULL DEFAULT 0);
INSERT INTO "usage" VALUES(-1,16,3361,0,12,3210,0);
INSERT INTO "usage" VALUES(16,13,3309,0,9,3158,0);
INSERT INTO "usage" VALUES(17,2,49,0,2,49,0);
INSERT INTO "usage" VALUES(18,1,3,0,1,3,0);
CREATE TABLE webhook (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    public_id TEXT NOT NULL UNIQUE,
    url TEXT NOT NULL,
    description TEXT NOT NULL,
    reader_kind TEXT NOT NULL,
    reader INTEGER NOT NULL,
    owner INTEGER,
    selection TEXT NOT NULL,
    created INTEGER NOT NULL,
    secret INTEGER NOT NULL,
    overlaps INTEGER,
    state TEXT NOT NULL,
    reason TEXT,
    revision INTEGER NOT NULL,
    position TEXT NOT NULL,
    last INTEGER,
    failures INTEGER NOT NULL,
    failing INTEGER,
    due INTEGER NOT NULL
, zone TEXT);
INSERT INTO "webhook" VALUES(1,'c439e0c7af499e65f7105c1473949e84','https://hooks.example.org/none','','administrator',0,NULL,'{"types":["Maker"]}',1795974095182,1,NULL,'paused',NULL,1,'IZmY786HPPFN/9jaUXxWkLx4j18xQwBQJQFQceRg2QSv1Qw9JJB3MiJ+lZ+pC2U6uV306lWxxrtowNFO/Yn+vT8C/WH7/oW0',NULL,0,NULL,0,NULL);
CREATE TABLE webhook_delivery (
    webhook INTEGER NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    message TEXT NOT NULL,
    type TEXT NOT NULL,
    events INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    duration INTEGER NOT NULL,
    status INTEGER,
    error TEXT,
    response TEXT,
    PRIMARY KEY (webhook, number)
) WITHOUT ROWID;
CREATE TABLE zone (
    id INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    name TEXT NOT NULL,
    generation INTEGER NOT NULL,
    purged INTEGER NOT NULL DEFAULT 0, changed INTEGER NOT NULL DEFAULT 0, created INTEGER,
    UNIQUE (scope, owner, name)
);
INSERT INTO "zone" VALUES(1,0,0,'_defaultZone',1,0,0,NULL);
INSERT INTO "zone" VALUES(2,1,16,'_defaultZone',17,0,0,NULL);
INSERT INTO "zone" VALUES(3,1,16,'Lists',19,0,28,1795974095142);
CREATE UNIQUE INDEX record_by_name ON record (zone, name) WHERE deleted = 0;
CREATE INDEX record_by_buried_name ON record (zone, name) WHERE deleted = 1;
CREATE UNIQUE INDEX record_by_sequence ON record (zone, sequence);
CREATE INDEX record_by_deletion ON record (modified) WHERE deleted = 1;
CREATE UNIQUE INDEX large_value_by_record ON large_value (record, field);
CREATE INDEX role_member_by_account ON role_member (account);
CREATE INDEX role_inclusion_by_member ON role_inclusion (member);
CREATE INDEX asset_by_age ON asset (orphaned) WHERE orphaned IS NOT NULL;
CREATE INDEX asset_link_by_asset ON asset_link (asset);
CREATE INDEX resumable_upload_by_expiry ON resumable_upload (expires);
CREATE INDEX resumable_upload_by_uploader ON resumable_upload (uploader, length, offset) WHERE claim IS NULL;
CREATE INDEX audience_of_everything ON audience (zone) WHERE principal = 9223372036854775807;
CREATE INDEX audience_record_by_creator ON audience_record (audience, type, creator, record);
CREATE INDEX record_by_type ON record (zone, type, id) WHERE deleted = 0 AND acl IS NULL;
CREATE INDEX record_by_creator ON record (zone, type, creator, id) WHERE deleted = 0 AND acl IS NULL;
CREATE INDEX session_by_account ON session (account, id);
CREATE INDEX session_by_expiry ON session (expires);
CREATE INDEX invitation_by_expiry ON invitation (expires);
CREATE INDEX asset_claim_by_uploader ON asset_claim (uploader);
CREATE UNIQUE INDEX api_key_by_name ON api_key (name) WHERE revoked IS NULL;
CREATE INDEX audit_by_time ON audit (at, id);
CREATE INDEX audit_by_actor ON audit (actor, at, id);
CREATE INDEX audit_by_action ON audit (action, at, id);
CREATE TRIGGER audit_is_final BEFORE UPDATE ON audit BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
CREATE INDEX idempotency_by_caller ON idempotency (caller);
CREATE INDEX asset_claim_by_expiry ON asset_claim (expires) WHERE used <> 3;
CREATE INDEX audit_refused ON audit (id) WHERE outcome = 'refused';
CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
WHEN old.id >= (SELECT before FROM audit_retention)
AND (old.outcome <> 'refused' OR old.id >= (SELECT refused_before FROM audit_retention)) BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
CREATE TRIGGER audit_retention_rises BEFORE UPDATE ON audit_retention
WHEN new.before < old.before OR new.refused_before < old.refused_before BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
CREATE INDEX asset_claim_by_asset ON asset_claim (asset, uploader);
CREATE INDEX account_by_name_key ON account (name_key);
CREATE INDEX job_unfinished ON job (kind, id) WHERE ended IS NULL;
CREATE INDEX job_ended ON job (ended) WHERE ended IS NOT NULL;
CREATE INDEX job_by_caller ON job (caller_kind, caller, id);
CREATE INDEX job_by_schedule ON job (schedule, id) WHERE schedule IS NOT NULL;
CREATE INDEX schedule_due ON schedule (next) WHERE next IS NOT NULL;
CREATE INDEX zone_by_change ON zone (scope, owner, changed);
CREATE INDEX lost_zone_by_time ON lost_zone (lost);
CREATE UNIQUE INDEX api_key_by_key_id ON api_key (key_id) WHERE key_id IS NOT NULL;
CREATE INDEX hierarchy_by_parent ON hierarchy (parent) WHERE parent IS NOT NULL;
CREATE UNIQUE INDEX share_by_root ON share (zone, root);
CREATE INDEX share_of_root ON share (root) WHERE root > 0;
CREATE UNIQUE INDEX participant_by_account ON participant (account, share) WHERE account IS NOT NULL;
CREATE INDEX subscription_by_firing ON subscription (fired_at) WHERE fired_at IS NOT NULL;
CREATE INDEX notification_token_by_use ON notification_token (used);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('account',19);
INSERT INTO "sqlite_sequence" VALUES('type',7);
INSERT INTO "sqlite_sequence" VALUES('audit',14);
INSERT INTO "sqlite_sequence" VALUES('role',1);
INSERT INTO "sqlite_sequence" VALUES('index_definition',11);
INSERT INTO "sqlite_sequence" VALUES('api_key',1);
INSERT INTO "sqlite_sequence" VALUES('cloudkit_token',1);
INSERT INTO "sqlite_sequence" VALUES('audience',5);
INSERT INTO "sqlite_sequence" VALUES('subscription',1);
INSERT INTO "sqlite_sequence" VALUES('schedule',1);
INSERT INTO "sqlite_sequence" VALUES('webhook',1);
INSERT INTO "sqlite_sequence" VALUES('job',1);
COMMIT;
