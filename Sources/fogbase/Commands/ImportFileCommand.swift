import Cryptography
import Encodings
import ForeignImport
import Glibc
import HTTP
import RecordEngine
import RecordWire
import Threads

/// `fogbase import FILE`: writes the records of a file, or of a whole container, as a job of the running server.
struct ImportFileCommand {
    let command: OperatorCommand

    /// - Parameter path: The path of the file; `nil` for the command's operand.
    init(command: OperatorCommand, path: String? = nil) {
        self.command = command
        self.path = path ?? command.arguments.operands[0]
    }

    private var arguments: Arguments { command.arguments }
    private var way: Operator { command.way }
    private let path: String
    /// The name of the file for people.
    private var name: String { isStandardInput ? "The standard input" : path }
    private var isStandardInput: Bool { path == "-" }

    private func option(_ option: CommandOption) -> String? { arguments.options[option.flag] }
    private func has(_ option: CommandOption) -> Bool { self.option(option) != nil }

    /// What a file is by its name or by `--format`.
    private enum Kind {
        case jsonLines
        case table(separator: String?)
        case container
    }

    func run() throws(Failure) -> ExitCode {
        // Mistakes on the command line are found before anything is sent.
        let kind = try kind()
        let mapping = try mappingFile()
        if case .container = kind { try checkContainer() }
        let options = try importOptions()
        // Nobody can be asked on the input that is the file.
        if isStandardInput, case .table = kind, mapping == nil { try requireConsent(mayAsk: false) }
        guard way.isServed else {
            throw Failure(
                "No server runs on this data directory. An import is a job of a running server: start it with 'fogbase serve', and try again."
            )
        }
        let query = try database()
        let file = try upload(to: query)
        var body = options
        body["file"] = file
        switch kind {
        case .jsonLines:
            if mapping != nil { throw .usage("--mapping is for tables, and the file has JSON lines.") }
            body["format"] = "jsonLines"
            if let type = option(TransferOptions.type) { body["recordType"] = .string(type) }
            if has(TransferOptions.preview) {
                OperatorCommand.print(
                    try ask("/imports/preview", JSONObject([("file", file), ("format", "jsonLines")]), query))
                return .success
            }
        case .container:
            body["format"] = "container"
            if has(TransferOptions.preview) {
                OperatorCommand.print(
                    try ask("/imports/preview", JSONObject([("file", file), ("format", "container")]), query))
                return .success
            }
        case .table(let separator):
            var input = JSONObject([("file", file), ("format", "table")])
            if let type = option(TransferOptions.type) { input["recordType"] = .string(type) }
            if let encoding = option(TransferOptions.encoding) { input["encoding"] = .string(encoding) }
            if let separator { input["table"] = ["separator": .string(separator)] }
            if let mapping { input["mapping"] = mapping }
            let preview = try ask("/imports/preview", input, query)
            if has(TransferOptions.preview) {
                show(preview)
                return .success
            }
            if mapping == nil, try !confirm(preview) { return .failure }
            body["format"] = "table"
            for key in ["table", "mapping", "encoding"] { body[key] = preview[key] }
        }
        let job = try ask("/imports", body, query)
        return try finish(try JobsCommand.follow(job, way, isJSON: command.wantsJSON))
    }

    private func ask(_ path: String, _ body: JSONObject, _ query: [(String, String)]) throws(Failure) -> JSONValue {
        try way.ask(.post, path, query: query, body: .object(body))
    }

    // MARK: The command line

    private func kind() throws(Failure) -> Kind {
        let name = path.lowercased()
        if !has(TransferOptions.format), !isStandardInput, Self.isContainer(path) { return .container }
        switch option(TransferOptions.format) ?? name.split(separator: ".").last.map(String.init) ?? "" {
        case "jsonl", "ndjson": return .jsonLines
        case "container", "fogbase": return .container
        case "csv", "txt": return .table(separator: try separator())
        case "tsv": return .table(separator: try separator() ?? "\t")
        case let word:
            guard has(TransferOptions.format) else {
                if isStandardInput {
                    throw .usage("The standard input has no name. Add --format csv, tsv, jsonl or container.")
                }
                throw .usage(
                    "The name \(path) does not say what the file is. Add --format csv, tsv, jsonl or container.")
            }
            throw .usage("--format is '\(word)'; it must be csv, tsv, jsonl or container.")
        }
    }

    /// Whether a file begins as the file of a container.
    private static func isContainer(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var first = [UInt8](repeating: 0, count: ContainerLine.beginning.count)
        let count = first.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        return count == first.count && first == ContainerLine.beginning
    }

    private func checkContainer() throws(Failure) {
        let others = [
            TransferOptions.type, TransferOptions.encoding, TransferOptions.separator, TransferOptions.owner,
            TransferOptions.zone, TransferOptions.mapping,
        ]
        if let other = others.first(where: has) {
            throw .usage("\(other.flag) is for records of one type, and \(path) has a whole container.")
        }
    }

    private func separator() throws(Failure) -> String? {
        guard let text = option(TransferOptions.separator) else { return nil }
        if text == "tab" { return "\t" }
        guard text.utf8.count == 1 else {
            throw .usage("--separator is '\(text)'; it must be one character, or 'tab'.")
        }
        return text
    }

    private func mappingFile() throws(Failure) -> JSONValue? {
        guard let path = option(TransferOptions.mapping) else { return nil }
        let text: String?
        do { text = try TextFile.read(path) } catch { throw Failure("\(error)") }
        guard let text else { throw Failure("There is no file \(path).") }
        do throws(JSONError) {
            let value = try JSONValue.parse(Array(text.utf8))
            // What --preview prints, or only the mapping in it.
            return value["mapping"] ?? value
        } catch {
            throw Failure("\(path) is not JSON: \(error.reason), at offset \(error.offset).")
        }
    }

    private func importOptions() throws(Failure) -> JSONObject {
        var object = JSONObject()
        if let word = option(TransferOptions.existing) {
            let words = ImportTask.Existing.allCases.map(\.rawValue)
            guard words.contains(word) else {
                throw .usage("--existing is '\(word)'; it must be \(words.joined(separator: ", ")).")
            }
            object["existing"] = .string(word)
        }
        if has(TransferOptions.dryRun) { object["dryRun"] = true }
        if let text = option(TransferOptions.mostRejected) {
            guard let number = text.asNumber else {
                throw .usage("--max-rejected is '\(text)'; it must be a number.")
            }
            object["maxRejected"] = .integer(Int64(number))
        }
        return object
    }

    private func database() throws(Failure) -> [(String, String)] {
        try TransferOptions.database(
            command, owner: option(TransferOptions.owner), zone: option(TransferOptions.zone))
    }

    // MARK: The file

    private func upload(to query: [(String, String)]) throws(Failure) -> JSONValue {
        let spooled = isStandardInput ? try spool() : nil
        let path = spooled?.path ?? path
        let (size, digest) = try digest(of: path)
        let response = try way.upload(
            path, size: size, digest: digest, type: "application/octet-stream", query: query)
        // The file ends with its value.
        withExtendedLifetime(spooled) {}
        guard response.isSuccess else { throw response.rejection }
        guard let asset = response.value["asset"] else { throw Failure("The server returned no asset.") }
        return asset
    }

    /// Copies the standard input into a temporary file: the server waits only briefly for the next bytes of an upload, and
    /// another program may take its time.
    private func spool() throws(Failure) -> ConvertedFile {
        let file = try ConvertedFile(nil)
        try forEachPiece(of: STDIN_FILENO) { bytes throws(Failure) in
            do throws(ConversionError) {
                try file.append(bytes)
            } catch {
                throw Failure("The copy of the standard input: \(error.reason).")
            }
        }
        return file
    }

    private func digest(of path: String) throws(Failure) -> (size: Int, digest: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure("\(name) cannot be read: \(SystemError.text).") }
        defer { close(descriptor) }
        let hasher = SHA256Hasher()
        var size = 0
        try forEachPiece(of: descriptor) { bytes throws(Failure) in
            size += bytes.count
            hasher.update(bytes)
        }
        guard size > 0 else { throw Failure("\(name) is empty.") }
        return (size, Base64.encode(hasher.finalize().bytes))
    }

    /// Reads a file to its end.
    private func forEachPiece(of descriptor: Int32, _ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
        while true {
            var errorNumber: Int32 = 0
            let piece = [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
                var result: Int
                repeat {
                    result = read(descriptor, buffer.baseAddress, buffer.count)
                } while result < 0 && errno == EINTR
                if result < 0 { errorNumber = errno }
                count = max(0, result)
            }
            errno = errorNumber
            guard errorNumber == 0 else { throw Failure("\(name) cannot be read: \(SystemError.text).") }
            if piece.isEmpty { return }
            try body(piece)
        }
    }

    // MARK: The preview

    private func show(_ preview: JSONValue) {
        if command.wantsJSON { return OperatorCommand.print(preview) }
        for line in ImportPreviewText.lines(of: preview) { Terminal.say(line) }
        var shown = JSONObject()
        for key in ["encoding", "table", "mapping"] { shown[key] = preview[key] }
        Terminal.say("")
        OperatorCommand.print(.object(shown))
    }

    /// Rejects an import whose mapping is guessed if nobody can confirm it.
    private func requireConsent(mayAsk: Bool) throws(Failure) {
        let options = [TransferOptions.yes, TransferOptions.dryRun, TransferOptions.preview]
        guard mayAsk || options.contains(where: has) else {
            throw .usage(
                "The types of the columns are guessed. Look at them with --preview, and give the printed mapping with --mapping, or accept them with --yes."
            )
        }
    }

    /// Shows what the import would do, and asks.
    private func confirm(_ preview: JSONValue) throws(Failure) -> Bool {
        if has(TransferOptions.yes) || has(TransferOptions.dryRun) { return true }
        try requireConsent(mayAsk: Terminal.isInteractive)
        for line in ImportPreviewText.lines(of: preview) { Terminal.say(line) }
        return Terminal.ask("Import the file like this? [y/N] ")
    }

    // MARK: The result

    private func finish(_ job: JSONValue) throws(Failure) -> ExitCode {
        let path = "/jobs/" + PathSegment.encode(job.text("id")) + "/rejections"
        let hasRejections: Bool
        if let file = option(TransferOptions.report) {
            let rows = try way.all(path, "rejections", query: [("limit", "1000")])
            hasRejections = !rows.isEmpty
            let lines = rows.map { String(decoding: $0.bytes, as: UTF8.self) + "\n" }
            do throws(TextFile.Problem) { try TextFile.write(lines.joined(), to: file) } catch {
                throw Failure(error.description)
            }
        } else {
            let page = try way.ask(.get, path, query: [("limit", "\(Self.shownRejections)")])
            let rows = page["rejections"]?.array ?? []
            hasRejections = !rows.isEmpty
            let file = isStandardInput ? "stdin" : self.path
            for row in rows where !command.wantsJSON {
                Terminal.complain("\(file):\(row["line"]?.integer ?? 0): \(row.text("reason")).")
            }
            if page["cursor"] != nil, !command.wantsJSON {
                Terminal.complain("… --report FILE writes all rejected rows to a file.")
            }
        }
        try JobsCommand.check(job)
        return hasRejections ? .failure : .success
    }

    private static let shownRejections = 20
}

/// What an import would make of a file, for people.
enum ImportPreviewText {
    static func lines(of preview: JSONValue) -> [String] {
        var rows = [["COLUMN", "FIELD", "TYPE", "FIRST VALUE"]]
        let columns = (preview["columns"]?.array ?? []).map { $0.string ?? "" }
        let first = preview["rows"]?.array?.first?.array ?? []
        for column in preview["mapping"]?["columns"]?.array ?? [] {
            let field =
                column["skip"]?.bool == true
                ? "(skipped)" : column["as"]?.string.map { "(\($0))" } ?? column.text("field")
            let index = columns.firstIndex(of: column.text("column")) ?? first.count
            let value = index < first.count ? first[index].string ?? "" : ""
            rows.append([column.text("column"), field, column.text("type"), String(value.prefix(40))])
        }
        var lines = Terminal.table(rows)
        for problem in preview["problems"]?.array ?? [] {
            lines.append(problem.text("reason") + ".")
        }
        return lines
    }
}
