import Glibc
import HTTP
import RecordEngine
import RecordModel
import RecordWire

/// `fogbase schema …`: exports, checks and imports schemas as texts of CloudKit's schema language, and moves them between
/// development and production. The flags have the names that `cktool` uses.
struct SchemaCommand {
    let command: OperatorCommand

    private var arguments: Arguments { command.arguments }
    private var way: Operator { command.way }

    // MARK: The command line

    static let container = CommandOption(
        flag: "--container-id", placeholder: "NAME", help: "the container; the same as --container")
    static let token = CommandOption(
        flag: "--token", placeholder: "TOKEN",
        help: "send this token, such as an API key, instead of the operator's token")
    static let file = CommandOption(
        flag: "--file", placeholder: "FILE", help: "the schema: a text of the schema language, or JSON; - for stdin")
    static let output = CommandOption(
        flag: "--output-file", placeholder: "FILE", help: "write the schema to this file instead of the standard output"
    )
    static let validate = CommandOption(
        flag: "--validate", placeholder: nil, help: "only check the file, and print what would change")
    static let dryRun = CommandOption(
        flag: "--dry-run", placeholder: nil, help: "only print what would change")
    static let keepRights = CommandOption(
        flag: "--keep-rights", placeholder: nil,
        help: "leave the permissions of existing types and fields as they are")
    static let dropFields = CommandOption(
        flag: "--drop-fields", placeholder: nil,
        help: "remove fields of production that development lacks and no record has")
    static let deleteRecords = CommandOption(
        flag: "--delete-records", placeholder: nil,
        help: "delete all development records of types that would lose fields, or that production lacks")

    static let importNotes = [
        "The file is the whole schema: what it leaves out is removed, unless there are records.",
        "A file without fogbase comments, such as one from CloudKit, changes only what the schema language has words for.",
    ]
    static let renameNotes = [
        "NAME and NEW are both a record type, such as Post, or both a field with its type, such as Post.title.",
        "The old name is rejected from then on, with the new one in the error. Records and indexes stay.",
    ]
    static let promoteNotes = [
        "Nothing that production has is removed: such a promotion is rejected as a whole.",
        "What was renamed in development is renamed in production. --drop-fields removes fields that no record has.",
        "The earlier schema of production is stored: 'fogbase schema rollback' brings it back.",
    ]
    static let rollbackNotes = [
        "SNAPSHOT is the id that 'fogbase schema snapshots' prints.",
        "Types and fields with records stay; the command prints which.",
    ]
    static let resetNotes = [
        "The schema of development becomes that of production. Without --delete-records, the command is rejected if",
        "development has records that the schema of production has no place for.",
    ]

    func run() throws(Failure) {
        switch command.name {
        case "schema export": try export()
        case "schema import": try importFile(isDryRun: arguments.options[Self.validate.flag] != nil)
        case "schema validate": try importFile(isDryRun: true)
        case "schema diff": try diff()
        case "schema snapshots": try listSnapshots()
        case "schema rename": try rename()
        case "schema promote":
            let drops = arguments.options[Self.dropFields.flag] != nil
            try change("/schema/promotion", in: .production, body: drops ? ["dropFields": true] : nil)
        case "schema rollback":
            guard let id = arguments.operands[0].asNumber else {
                throw .usage(
                    "The snapshot '\(arguments.operands[0])' is no number. 'fogbase schema snapshots' prints the ids.")
            }
            try change("/schema/rollback", in: nil, body: ["snapshot": .integer(Int64(id))])
        default:
            let deletes = arguments.options[Self.deleteRecords.flag] != nil
            try change("/schema/reset", in: .development, body: ["deleteRecords": .bool(deletes)])
        }
    }

    // MARK: Export and import

    private func export() throws(Failure) {
        let text = try schemaText(of: nil)
        guard let path = arguments.options[Self.output.flag], path != "-" else {
            return Terminal.say(text.hasSuffix("\n") ? String(text.dropLast()) : text)
        }
        do throws(TextFile.Problem) { try TextFile.write(text, to: path) } catch { throw Failure("\(error)") }
        Terminal.say("The schema is in \(path).")
    }

    /// Returns the schema of an environment as text.
    private func schemaText(of environment: RecordEnvironment?) throws(Failure) -> String {
        var request = OperatorRequest(.get, "/schema", token: arguments.options[Self.token.flag])
        request.accept = "text/x-ckdb"
        return String(decoding: try way.exchange(request, in: environment), as: UTF8.self)
    }

    /// Checks the grammar of the file that `--file` names, if the command has one.
    ///
    /// - Throws: `Failure` with the path, the line and the column.
    static func checkFile(_ arguments: Arguments) throws(Failure) {
        // Standard input can be read only once.
        guard let path = arguments.options[file.flag], path != "-" else { return }
        try checkFile(at: path)
    }

    /// Checks the grammar of a file.
    ///
    /// - Throws: `Failure` with the path, the line and the column.
    static func checkFile(at path: String) throws(Failure) {
        try check(try read(path), of: path)
    }

    private func importFile(isDryRun: Bool) throws(Failure) {
        let text = try readFile()
        var request = OperatorRequest(
            .put, "/schema", body: Array(text.utf8), token: arguments.options[Self.token.flag])
        request.contentType = Self.isJSON(text) ? "application/json" : "text/x-ckdb"
        show(
            try way.exchange(request, query: parameters(isDryRun: isDryRun), in: nil), isDryRun: isDryRun)
    }

    /// Returns the file that `--file` names.
    private func readFile() throws(Failure) -> String {
        guard let path = arguments.options[Self.file.flag] else {
            throw .usage("'fogbase \(command.name)' needs --file with the path of the schema.")
        }
        let text = try Self.read(path)
        if path == "-" { try Self.check(text, of: path) }
        return text
    }

    private static func read(_ path: String) throws(Failure) -> String {
        let text: String?
        do { text = try TextFile.read(path == "-" ? "/dev/stdin" : path, upTo: 64 << 20) } catch {
            throw Failure("\(error)")
        }
        guard let text else { throw Failure("There is no file \(path).") }
        return text
    }

    /// Whether a schema is in the JSON form. No text of the schema language starts with a brace.
    private static func isJSON(_ text: String) -> Bool {
        text.utf8.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 } == UInt8(ascii: "{")
    }

    /// Checks the grammar of a schema before anything is sent.
    ///
    /// - Throws: `Failure` with the path, the line and the column.
    static func check(_ text: String, of path: String) throws(Failure) {
        if isJSON(text) {
            do throws(RecordError) { _ = try SchemaDocument.read(Array(text.utf8)) } catch {
                var place = ""
                for case ("path", .text(let name)) in error.details { place = " at \(name)" }
                throw Failure("\(path)\(place): \(error.reason).")
            }
            return
        }
        do throws(SchemaTextError) { _ = try SchemaDocument.parse(text: Array(text.utf8)) } catch {
            throw Failure("\(path):\(error.line):\(error.column): \(error.reason).")
        }
    }

    // MARK: Changes

    private func parameters(isDryRun: Bool) -> [(String, String)] {
        (isDryRun ? [("dryRun", "true")] : [])
            + (arguments.options[Self.keepRights.flag] == nil ? [] : [("rights", "keep")])
    }

    private func change(
        _ path: String, in environment: RecordEnvironment?, body: JSONValue? = nil
    ) throws(Failure) {
        let isDryRun = arguments.options[Self.dryRun.flag] != nil
        let request = OperatorRequest(.post, path, body: body?.bytes, token: arguments.options[Self.token.flag])
        show(
            try way.exchange(request, query: parameters(isDryRun: isDryRun), in: environment), isDryRun: isDryRun)
    }

    private func show(_ body: [UInt8], isDryRun: Bool) {
        // A token without the right to read the schema gets no content.
        let changes = (try? JSONValue.parse(body))?["changes"]
        if command.wantsJSON { return OperatorCommand.print(changes ?? [:]) }
        for line in SchemaPlan.lines(of: changes ?? [:]) { Terminal.say(line) }
        Terminal.say(isDryRun ? "Nothing was changed." : "Done.")
    }

    /// Gives a field or a type another name.
    private func rename() throws(Failure) {
        let names = arguments.operands.map {
            $0.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        }
        let (old, new) = (names[0], names[1])
        guard old.count == new.count, old.count <= 2, old.count == 1 || old[0] == new[0] else {
            throw .usage(
                "'fogbase schema rename' takes two types, such as Post Article, or two fields of one type, such as Post.title Post.headline."
            )
        }
        var path = "/schema/types/" + PathSegment.encode(old[0])
        if old.count == 2 { path += "/fields/" + PathSegment.encode(old[1]) }
        let body: JSONValue = ["name": .string(new[old.count - 1])]
        let request = OperatorRequest(.patch, path, body: body.bytes, token: arguments.options[Self.token.flag])
        let response = try way.exchange(request, in: nil)
        if command.wantsJSON { return OperatorCommand.print((try? JSONValue.parse(response)) ?? [:]) }
        Terminal.say("\(arguments.operands[0]) is now called \(arguments.operands[1]).")
    }

    // MARK: Snapshots and differences

    private func listSnapshots() throws(Failure) {
        let request = OperatorRequest(.get, "/schema/snapshots", token: arguments.options[Self.token.flag])
        let value = (try? JSONValue.parse(try way.exchange(request, in: nil))) ?? .null
        if command.wantsJSON { return OperatorCommand.print(value) }
        var rows = [["ID", "CREATED", "BEFORE", "BY"]]
        for snapshot in value["snapshots"]?.array ?? [] {
            let by = snapshot["by"] ?? .null
            rows.append([
                "\(snapshot["id"]?.integer ?? 0)", Moment.show(snapshot["created"]?.integer), snapshot.text("before"),
                by.text("name").isEmpty ? by.text("kind") : by.text("name"),
            ])
        }
        OperatorCommand.print(rows)
    }

    /// Prints the lines in which two schemas differ, as texts.
    ///
    /// - Throws: `Failure` if they differ, so that the exit code tells it.
    private func diff() throws(Failure) {
        let (old, new): (String, String)
        if arguments.options[Self.file.flag] == nil {
            (old, new) = (try schemaText(of: .production), try schemaText(of: .development))
        } else {
            let text = try readFile()
            old = try schemaText(of: nil)
            let bytes = Array(text.utf8)
            new = try command.check { () throws(RecordError) in
                try (Self.isJSON(text) ? SchemaDocument.read(bytes) : SchemaDocument.readText(bytes)).text
            }
        }
        guard old != new else { return Terminal.say("The schemas are equal.") }
        for line in LineDifference.lines(from: old, to: new) { Terminal.say(line) }
        throw Failure("The schemas differ.")
    }
}

/// Describes the `changes` of a response to a schema change.
enum SchemaPlan {
    /// Returns one line for each change.
    static func lines(of changes: JSONValue) -> [String] {
        var lines: [String] = []
        for role in names(changes["roles"]) { lines.append("role \(role): added") }
        for (kind, key) in [("type", "types"), ("field", "fields")] {
            for verb in ["added", "changed", "removed"] {
                for name in names(changes[key]?[verb]) { lines.append("\(kind) \(name): \(verb)") }
            }
            for rename in changes[key]?["renamed"]?.array ?? [] {
                lines.append("\(kind) \(rename.text("from")): renamed to \(rename.text("to"))")
            }
        }
        for (key, verb) in [("added", "built"), ("removed", "dropped")] {
            for index in changes["indexes"]?[key]?.array ?? [] {
                let kind = index["unique"]?.bool == true ? "unique index" : "index"
                lines.append("\(kind) \(index.text("recordType")) (\(index.words("fields"))): \(verb)")
            }
        }
        for name in names(changes["rights"]) { lines.append("permissions of \(name): changed") }
        for (name, count) in (changes["records"]?.object?.members ?? []).map({ ($0.key, $0.value.integer ?? 0) })
        where count > 0 {
            lines.append("\(JobProgress.grouped(count)) records of \(name): read for indexes")
        }
        if let count = changes["deletedRecords"]?.integer {
            lines.append("\(JobProgress.grouped(count)) records: deleted")
        }
        for reason in names(changes["kept"]) { lines.append("kept: \(CommandAdvice.words(reason))") }
        if lines.isEmpty { lines.append("The schema is the same.") }
        if let snapshot = changes["snapshot"]?.integer {
            lines.append("The earlier schema is snapshot \(snapshot).")
        }
        return lines
    }

    private static func names(_ value: JSONValue?) -> [String] { (value?.array ?? []).compactMap(\.string) }
}

/// The differences of two texts by lines.
enum LineDifference {
    /// Returns the lines that only one text has, with `-` or `+`, and the head of the record type before them.
    static func lines(from old: String, to new: String) -> [String] {
        let (old, new) = (split(old), split(new))
        let difference = new.difference(from: old)
        var (removed, added): (Set<Int>, Set<Int>) = ([], [])
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        var lines: [String] = []
        var (left, right) = (0, 0)
        // The last head that both texts have, until it is printed.
        var head: Substring?
        func append(_ mark: String, _ line: Substring) {
            if let shown = head { lines.append("  " + shown) }
            head = nil
            lines.append(mark + line)
        }
        while left < old.count || right < new.count {
            if left < old.count, removed.contains(left) {
                append("- ", old[left])
                left += 1
            } else if right < new.count, added.contains(right) {
                append("+ ", new[right])
                right += 1
            } else {
                if left < old.count, old[left].contains("RECORD TYPE") { head = old[left] }
                left += 1
                right += 1
            }
        }
        return lines
    }

    private static func split(_ text: String) -> [Substring] {
        // Commas depend on which member is the last one.
        text.split(separator: "\n").map { $0.hasSuffix(",") ? $0.dropLast() : $0 }
    }
}
