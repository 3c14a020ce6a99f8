import Glibc
import HTTP
import RecordEngine
import RecordWire

/// `fogbase export [TYPE]`: writes the records of a type, or everything that the container has, to a file.
struct ExportCommand {
    let command: OperatorCommand

    private var arguments: Arguments { command.arguments }
    private var way: Operator { command.way }

    private func option(_ option: CommandOption) -> String? { arguments.options[option.flag] }

    func run() throws(Failure) {
        let output = option(TransferOptions.output)
        let type = arguments.operands.first
        let body = if let type { try records(of: type, to: output) } else { try everything() }
        guard way.isServed else {
            throw Failure(
                "No server runs on this data directory. An export is a job of a running server: start it with 'fogbase serve', and try again."
            )
        }
        let query = try TransferOptions.database(
            command, owner: option(TransferOptions.owner), zone: option(TransferOptions.zone))
        let started = try way.ask(.post, "/exports", query: query, body: .object(body))
        let job = try JobsCommand.follow(started, way, isJSON: false, isQuiet: output == nil)
        try JobsCommand.check(job)
        try download(job, to: output)
    }

    /// The body of the request that exports a whole container.
    private func everything() throws(Failure) -> JSONObject {
        let records = TransferOptions.exporting.filter { $0.flag != TransferOptions.output.flag }
        if let other = records.first(where: { option($0) != nil }) {
            throw .usage("\(other.flag) chooses records of a TYPE. Without a TYPE, everything is exported.")
        }
        if let ending = option(TransferOptions.output).flatMap(Self.ending), Self.endings.contains(ending) {
            throw .usage(
                "A file .\(ending) has the records of one TYPE. Add the type, or choose another name for the file of everything."
            )
        }
        return JSONObject([("format", "container")])
    }

    /// The body of the request that exports the records of a type.
    private func records(of type: String, to output: String?) throws(Failure) -> JSONObject {
        var body = JSONObject([("recordType", .string(type))])
        switch option(TransferOptions.format) ?? output.flatMap(Self.ending) ?? "jsonl" {
        case "jsonl", "ndjson": body["format"] = "jsonLines"
        case "csv":
            body["format"] = "table"
            if let separator = option(TransferOptions.separator) {
                body["table"] = ["separator": .string(separator == "tab" ? "\t" : separator)]
            }
        case "tsv":
            body["format"] = "table"
            body["table"] = ["separator": "\t"]
        case let word:
            if option(TransferOptions.format) == nil {
                throw .usage("The name of the file does not say what it is to be. Add --format csv, tsv or jsonl.")
            }
            throw .usage("--format is '\(word)'; it must be csv, tsv or jsonl.")
        }
        if let condition = option(TransferOptions.condition) { body["where"] = .string(condition) }
        if let sort = option(TransferOptions.sort) { body["sort"] = .string(sort) }
        if let fields = command.list(TransferOptions.fields.flag) {
            body["fields"] = .array(fields.map { .string($0) })
        }
        return body
    }

    /// The endings of files with the records of one type.
    private static let endings = ["csv", "tsv", "jsonl", "ndjson"]

    private static func ending(_ path: String) -> String? {
        let parts = path.lowercased().split(separator: ".")
        return parts.count > 1 ? parts.last.map(String.init) : nil
    }

    /// Writes the file of a job to a file, which replaces one of that name when it is complete, or to the standard
    /// output.
    private func download(_ job: JSONValue, to output: String?) throws(Failure) {
        let path = "/jobs/" + PathSegment.encode(job.text("id")) + "/file"
        let partial = output.map { $0 + ".partial" }
        let descriptor = partial.map { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600) } ?? STDOUT_FILENO
        guard descriptor >= 0 else { throw Failure("\(partial ?? "") cannot be written: \(SystemError.text).") }
        var received: Int64 = 0
        do throws(Failure) {
            try way.download(path) { bytes throws(Failure) in
                received += Int64(bytes.count)
                var rest = bytes[...]
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else {
                        throw Failure("\(partial ?? "The standard output") cannot be written: \(SystemError.text).")
                    }
                    rest.removeFirst(count)
                }
            }
            guard received == job["bytes"]?.integer else {
                throw Failure("The connection ended before the file was complete. Try again.")
            }
            if let partial, let output {
                guard fsync(descriptor) == 0, close(descriptor) == 0, rename(partial, output) == 0 else {
                    throw Failure("\(output) cannot be written: \(SystemError.text).")
                }
            }
        } catch {
            if let partial { unlink(partial) }
            throw error
        }
    }
}
