/// When a file was opened for writing.
extension Migrations {
    /// See `OpeningTable`. The first one stands for everything that was before it.
    static let openings = """
        CREATE TABLE opening (
            number INTEGER PRIMARY KEY,
            epoch INTEGER NOT NULL UNIQUE,
            sequence INTEGER NOT NULL
        );
        INSERT INTO opening (number, epoch, sequence) VALUES (1, 0, 0);
        """
}
