/// Renamed types and fields.
extension Migrations {
    static let renamesName = "renamed types and fields"

    /// The number of migrations in a file that has earlier names of types and fields.
    static let withRenames = steps(upTo: renamesName)

    static let renames = """
        -- former: the earlier names, oldest first, with a blank between them.
        ALTER TABLE type ADD COLUMN former TEXT;
        ALTER TABLE field ADD COLUMN former TEXT;
        -- renamed: the sequence number of the last rename of the type or of a field. renaming: the number of the last record
        -- that has the new names of fields; NULL if all have them.
        ALTER TABLE type ADD COLUMN renamed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE type ADD COLUMN renaming INTEGER;
        """
}
