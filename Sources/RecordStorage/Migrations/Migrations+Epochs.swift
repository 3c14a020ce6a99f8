/// Epochs.
extension Migrations {
    /// The table of `EpochTable`. Its first row is for sequence numbers from before epochs existed.
    static let openings = """
        CREATE TABLE opening (
            number INTEGER PRIMARY KEY,
            epoch INTEGER NOT NULL UNIQUE,
            sequence INTEGER NOT NULL
        );
        INSERT INTO opening (number, epoch, sequence) VALUES (1, 0, 0);
        """
}
