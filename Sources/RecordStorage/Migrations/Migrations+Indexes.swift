/// Indexes and their statistics.
extension Migrations {
    /// The definitions of indexes. Each index also has its own table `index_<id>` (see `IndexTable`).
    static let indexes = """
        ALTER TABLE field ADD COLUMN options INTEGER NOT NULL DEFAULT 0;

        -- columns: numbers of fields and names of system fields, with a minus where they descend: `3,-created`.
        -- state: 0 ready, 1 building, 2 failed, 3 dropped, of which the table is still being emptied.
        -- position: while building, the record id up to which records are in; built: how many there are.
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
        """

    /// The distribution of index entries, for the query planner.
    static let indexStatistics = """
        CREATE TABLE index_statistic (
            index_id INTEGER PRIMARY KEY,
            entries INTEGER NOT NULL,
            step INTEGER NOT NULL,
            samples BLOB NOT NULL
        );
        """
}
