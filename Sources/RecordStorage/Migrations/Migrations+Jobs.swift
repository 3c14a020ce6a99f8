/// Jobs and schedules.
extension Migrations {
    static let jobs = """
        -- Times are milliseconds since 1970.
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
        CREATE INDEX job_unfinished ON job (kind, id) WHERE ended IS NULL;
        CREATE INDEX job_ended ON job (ended) WHERE ended IS NOT NULL;
        CREATE INDEX job_by_caller ON job (caller_kind, caller, id);
        CREATE INDEX job_by_schedule ON job (schedule, id) WHERE schedule IS NOT NULL;

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
        CREATE INDEX schedule_due ON schedule (next) WHERE next IS NOT NULL;
        """

    static let rejectedRows = """
        -- The rows of a file that a job could not import.
        CREATE TABLE job_rejection (
            job INTEGER NOT NULL,
            -- The line of the file on which the row begins, from 1.
            line INTEGER NOT NULL,
            -- Why, as a JSON object.
            error BLOB NOT NULL,
            PRIMARY KEY (job, line)
        ) WITHOUT ROWID;
        """
}
