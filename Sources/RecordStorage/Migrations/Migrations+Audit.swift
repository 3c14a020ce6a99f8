/// The audit log.
extension Migrations {
    /// The audit log. The server's own file has the same table.
    static let audit = """
        -- at: milliseconds since 1970. detail: a JSON object, or NULL.
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
        CREATE INDEX audit_by_time ON audit (at, id);
        CREATE INDEX audit_by_actor ON audit (actor, at, id);
        CREATE INDEX audit_by_action ON audit (action, at, id);

        -- Entries below this number are past their time. It only rises.
        CREATE TABLE audit_retention (position INTEGER PRIMARY KEY CHECK (position = 1), before INTEGER NOT NULL);
        INSERT INTO audit_retention VALUES (1, 0);
        CREATE TRIGGER audit_is_final BEFORE UPDATE ON audit BEGIN
            SELECT RAISE(ABORT, 'the audit log is append-only');
        END;
        CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
        WHEN old.id >= (SELECT before FROM audit_retention) BEGIN
            SELECT RAISE(ABORT, 'the audit log is append-only');
        END;
        CREATE TRIGGER audit_retention_rises BEFORE UPDATE ON audit_retention WHEN new.before < old.before BEGIN
            SELECT RAISE(ABORT, 'the audit log is append-only');
        END;
        """

    /// Counts of entries per outcome, and the ID below which rejections can be deleted. Any client
    /// can cause rejections, so rejections may use only a part of the log.
    static let auditOfRejections = """
        CREATE INDEX audit_refused ON audit (id) WHERE outcome = 'refused';
        CREATE TABLE audit_count (outcome TEXT PRIMARY KEY, entries INTEGER NOT NULL) WITHOUT ROWID;
        INSERT INTO audit_count SELECT outcome, count(*) FROM audit GROUP BY outcome;
        CREATE TRIGGER audit_came AFTER INSERT ON audit BEGIN
            INSERT INTO audit_count VALUES (new.outcome, 1) ON CONFLICT (outcome) DO UPDATE SET entries = entries + 1;
        END;
        CREATE TRIGGER audit_went AFTER DELETE ON audit BEGIN
            UPDATE audit_count SET entries = entries - 1 WHERE outcome = old.outcome;
        END;

        ALTER TABLE audit_retention ADD COLUMN refused_before INTEGER NOT NULL DEFAULT 0;
        DROP TRIGGER audit_is_kept;
        CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
        WHEN old.id >= (SELECT before FROM audit_retention)
        AND (old.outcome <> 'refused' OR old.id >= (SELECT refused_before FROM audit_retention)) BEGIN
            SELECT RAISE(ABORT, 'the audit log is append-only');
        END;
        DROP TRIGGER audit_retention_rises;
        CREATE TRIGGER audit_retention_rises BEFORE UPDATE ON audit_retention
        WHEN new.before < old.before OR new.refused_before < old.refused_before BEGIN
            SELECT RAISE(ABORT, 'the audit log is append-only');
        END;
        """
}
