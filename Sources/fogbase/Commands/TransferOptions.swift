import RecordWire

/// The options of `fogbase import` and `fogbase export`.
enum TransferOptions {
    static let type = CommandOption(
        flag: "--type", placeholder: "TYPE", help: "the record type")
    static let format = CommandOption(
        flag: "--format", placeholder: "FORMAT",
        help: "csv, tsv, jsonl or container; by default what the file and its name say")
    static let owner = CommandOption(
        flag: "--owner", placeholder: "USER", help: "the private database of this account instead of the public one")
    static let zone = CommandOption(flag: "--zone", placeholder: "ZONE", help: "the zone of the private database")
    static let separator = CommandOption(
        flag: "--separator", placeholder: "CHAR", help: "what separates the cells; 'tab' is a tab")

    static let encoding = CommandOption(
        flag: "--encoding", placeholder: "NAME",
        help: "the encoding of the file, such as windows-1252 or Shift_JIS; UTF-8 and UTF-16 are recognized")
    static let mapping = CommandOption(
        flag: "--mapping", placeholder: "FILE", help: "which column becomes which field, as --preview prints it")
    static let preview = CommandOption(
        flag: "--preview", placeholder: nil, help: "print the mapping and the first rows, and write nothing")
    static let existing = CommandOption(
        flag: "--existing", placeholder: "WHAT",
        help: "what happens to records that exist: reject, skip, replace or update (reject)")
    static let dryRun = CommandOption(
        flag: "--dry-run", placeholder: nil, help: "check each row, and write nothing")
    static let mostRejected = CommandOption(
        flag: "--max-rejected", placeholder: "N", help: "end the import after more rejected rows than this")
    static let report = CommandOption(
        flag: "--report", placeholder: "FILE", help: "write the rejected rows to this file, as JSON lines")
    static let yes = CommandOption(flag: "--yes", placeholder: nil, help: "do not ask before the import")

    static let condition = CommandOption(
        flag: "--where", placeholder: "CONDITION", help: "only the records that meet this condition")
    static let sort = CommandOption(flag: "--sort", placeholder: "FIELDS", help: "the order, such as -likes,title")
    static let fields = CommandOption(
        flag: "--fields", placeholder: "FIELDS", help: "only these fields, separated by commas")
    static let output = CommandOption(
        flag: "--output", placeholder: "FILE", help: "write to this file instead of the standard output")

    static let importing = [
        type, format, encoding, separator, mapping, preview, existing, dryRun, mostRejected, report, yes, owner, zone,
        OperatorCommand.json,
    ]
    static let exporting = [type, format, separator, condition, sort, fields, output, owner, zone]

    static let importNotes = [
        "A server must run. The import is a job: after Ctrl-C it goes on, and 'fogbase jobs' shows and ends it.",
        "The exit code is 0 if no row was rejected, else 1.",
        "The manual's page 'Importing and exporting' describes the formats.",
    ]
    static let exportNotes = [
        "Without TYPE, the file has the whole container: accounts, roles, schema, zones, files and records. Keep it as safe as a backup.",
        "A server must run. The export is a job of the server, whose file is kept for a week.",
        "The manual's page 'Importing and exporting' describes the formats.",
    ]

    /// Returns the query parameters that name a database.
    ///
    /// - Parameters:
    ///   - command: The command, whose server has the accounts.
    ///   - owner: The account that owns the private database; `nil` for the public database.
    ///   - zone: The zone; `nil` for the default zone.
    static func database(_ command: OperatorCommand, owner: String?, zone: String?) throws(Failure) -> [(
        String, String
    )] {
        guard let owner else {
            if zone != nil { throw .usage("--zone is for a private database: add --owner.") }
            return []
        }
        let name = try command.user(owner).text("userRecordName")
        return [("database", "private"), ("owner", name)] + (zone.map { [("zone", $0)] } ?? [])
    }
}
