/// Subscriptions and the tokens of devices that receive their notifications.
extension Migrations {
    static let notificationsName = "notifications"
    static let notifications = """
        -- database: 0 public, 1 private, 2 shared. name: unique in the database of an account. definition: a JSON object.
        -- created, fired_at: milliseconds since 1970. changed: the sequence number of the last change of the row. since: the
        -- sequence number of the last change that is not notified. fired: of a subscription that fires once, the sequence
        -- number of the change that it has notified; readers before this number may still need the row.
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
        CREATE INDEX subscription_by_firing ON subscription (fired_at) WHERE fired_at IS NOT NULL;

        -- The texts of tokens are sealed from account and number. environment: as the client sent it. used: milliseconds since
        -- 1970, with an accuracy of an hour. position: a sealed position; it lags behind what the server keeps in memory.
        CREATE TABLE notification_token (
            account INTEGER NOT NULL,
            number INTEGER NOT NULL,
            environment TEXT NOT NULL,
            used INTEGER NOT NULL,
            position TEXT NOT NULL,
            PRIMARY KEY (account, number)
        ) WITHOUT ROWID;
        CREATE INDEX notification_token_by_use ON notification_token (used);
        """
}
