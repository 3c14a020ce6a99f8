import Glibc
import HTTP
import RecordEngine
import RecordWire
import Threads

/// `fogbase jobs …`: lists jobs, follows their progress, and pauses, resumes, cancels and deletes them.
struct JobsCommand {
    let command: OperatorCommand

    private var arguments: Arguments { command.arguments }
    private var way: Operator { command.way }

    static let unfinished = CommandOption(
        flag: "--unfinished", placeholder: nil, help: "only jobs that have not ended")
    static let jsonLines = CommandOption(
        flag: "--json", placeholder: nil, help: "print the job as a JSON line whenever it has changed")

    static let idNote = "ID is the id of the job: 'fogbase jobs list' prints it."
    static let watchNotes = [
        idNote,
        "The exit code is 0 if the job succeeds, and 1 if it fails or is canceled. Ctrl-C leaves the job running.",
        "Without a terminal, a line is printed for each new state, and between them at most one per second.",
    ]
    static let controlNotes = [idNote, "Changes that are done stay."]

    func run() throws(Failure) {
        switch command.name {
        case "jobs list": try list()
        case "jobs show":
            let job = try find()
            if command.wantsJSON { return OperatorCommand.print(job) }
            OperatorCommand.print(Self.facts(of: job, now: WallClock.milliseconds))
        case "jobs watch": try watch()
        case "jobs pause": try control("pause")
        case "jobs resume": try control("resume")
        case "jobs delete": try delete()
        default: try control("cancel")
        }
    }

    // MARK: List and show

    private func list() throws(Failure) {
        let query = arguments.options[Self.unfinished.flag] == nil ? [] : [("unfinished", "true")]
        let jobs = try way.all("/jobs", "jobs", query: query)
        if command.wantsJSON { return OperatorCommand.print(["jobs": .array(jobs)]) }
        OperatorCommand.print(Self.table(of: jobs))
    }

    static func table(of jobs: [JSONValue]) -> [[String]] {
        var rows = [["ID", "KIND", "TYPE", "STATE", "PROGRESS", "LEFT", "BY", "CREATED", "ENDED"]]
        for job in jobs {
            let progress = JobProgress(job)
            rows.append([
                progress.id, job.text("kind"), job["task"]?.text("recordType") ?? "", progress.state,
                [progress.percent, progress.amount].filter { !$0.isEmpty }.joined(separator: ", "),
                progress.isFinal ? "" : job["secondsLeft"]?.integer.map(JobProgress.duration) ?? "",
                author(of: job), Moment.show(job["created"]?.integer), Moment.show(job["ended"]?.integer),
            ])
        }
        return rows
    }

    private static func author(of job: JSONValue) -> String {
        guard let by = job["by"] else { return "" }
        return by.text("name").isEmpty ? by.text("kind") : by.text("name")
    }

    static func facts(of job: JSONValue, now: Int64) -> [[String]] {
        let progress = JobProgress(job)
        let task = job["task"]
        let arguments = (task?["args"]?.array ?? []).map { String(decoding: $0.bytes, as: UTF8.self) }
        var rows = [
            ["id", progress.id], ["kind", job.text("kind")], ["type", task?.text("recordType") ?? ""],
            ["where", task?["all"]?.bool == true ? "all records" : task?.text("where") ?? ""],
            ["arguments", arguments.joined(separator: ", ")],
            ["at most", task?["maxAffected"]?.integer.map(JobProgress.grouped) ?? ""],
        ]
        for key in ["fields", "acl"] {
            rows.append([key, (task?[key]).map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""])
        }
        rows += [
            ["database", job.text("database")], ["schedule", job.text("schedule")], ["by", author(of: job)],
            ["state", progress.state], ["error", progress.reason],
            ["progress", [progress.percent, progress.amount].filter { !$0.isEmpty }.joined(separator: ", ")],
            ["rate", progress.rate], ["left", progress.isFinal ? "" : progress.timeLeft],
            ["created", Moment.show(job["created"]?.integer)], ["started", Moment.show(job["started"]?.integer)],
            ["ended", Moment.show(job["ended"]?.integer)], ["duration", progress.elapsed(now: now)],
        ]
        for skip in job["skipReasons"]?.array ?? [] {
            let count = JobProgress.grouped(skip["count"]?.integer ?? 0)
            let names = skip.words("recordNames")
            rows.append(["skipped", "\(count): \(skip.text("reason"))" + (names.isEmpty ? "" : " (\(names))")])
        }
        return rows.filter { !$0[1].isEmpty }
    }

    // MARK: One job

    /// The path of the job that the command names.
    ///
    /// - Throws: `Failure` with code `usage` if the id is empty.
    private func path() throws(Failure) -> String {
        let id = arguments.operands[0]
        guard !id.isEmpty else { throw .usage("The id of the job is empty. 'fogbase jobs list' prints the ids.") }
        return "/jobs/" + PathSegment.encode(id)
    }

    private func find() throws(Failure) -> JSONValue {
        try checked(try way.respond(.get, try path()))
    }

    private func control(_ verb: String) throws(Failure) {
        let job = JobProgress(try checked(try way.respond(.post, try path() + "/" + verb)))
        Terminal.say("\(job.id) is \(job.state): \(job.amount).")
    }

    private func delete() throws(Failure) {
        let response = try way.respond(.delete, try path())
        guard response.isSuccess else {
            throw response.status == 404 ? Self.unknown(arguments.operands[0]) : response.rejection
        }
        Terminal.say("The job \(arguments.operands[0]) is deleted.")
    }

    /// Returns the job in a response.
    ///
    /// - Throws: `Failure` with the reason of an error response.
    private func checked(_ response: Operator.Response) throws(Failure) -> JSONValue {
        guard response.isSuccess else {
            if response.status == 404 { throw Self.unknown(arguments.operands[0]) }
            guard let state = response.value["details"]?["state"]?.string else { throw response.rejection }
            throw Failure("The job \(arguments.operands[0]) has ended: it is \(state).")
        }
        return response.value
    }

    private static func unknown(_ id: String) -> Failure {
        Failure(
            "There is no job \(id). A job is kept for a week after its end; 'fogbase jobs list' prints the ids of all.")
    }

    // MARK: Watch

    private func watch() throws(Failure) {
        _ = try path()
        try Self.check(try Self.follow(try find(), way, isJSON: command.wantsJSON))
    }

    /// Shows the progress of a job until it ends.
    ///
    /// - Parameters:
    ///   - job: The job as it is now.
    ///   - isQuiet: Whether nothing is shown on the standard output.
    /// - Returns: The job as it has ended.
    static func follow(
        _ started: JSONValue, _ way: Operator, isJSON: Bool, isQuiet: Bool = false
    ) throws(Failure) -> JSONValue {
        var view = JobView(isJSON: isJSON, isQuiet: isQuiet)
        var job = started
        view.show(job)
        // Without a server, this process has the data directory open, and no server could start.
        way.close()
        let isServed = way.isServed
        if !JobProgress(job).isFinal {
            explainInterruption()
            defer { signal(SIGINT, SIG_DFL) }
            let path = "/jobs/" + PathSegment.encode(job.text("id"))
            try way.followReconnecting(path, query: [], since: "", waits: isServed) { event throws(Failure) in
                guard event.type == "job", let value = try? JSONValue.parse(event.data) else {
                    _ = try ChangesCommand.line(for: event)
                    return true
                }
                job = value
                view.show(job)
                return !JobProgress(job).isFinal
            }
        }
        view.end()
        return job
    }

    /// Checks how a job has ended.
    ///
    /// - Throws: `Failure` if it has failed or was canceled.
    static func check(_ job: JSONValue) throws(Failure) {
        let progress = JobProgress(job)
        switch progress.state {
        case "succeeded": return
        case "cancelled": throw Failure("The job \(progress.id) was canceled. Changes that were done stay.")
        default:
            let reason = progress.reason.isEmpty ? "the server gives no reason" : progress.reason
            throw Failure("The job \(progress.id) has failed: \(reason)" + (reason.hasSuffix(".") ? "" : "."))
        }
    }

    /// Makes Ctrl-C say that the job goes on, before it ends the process.
    private static func explainInterruption() {
        signal(SIGINT) { _ in
            // Only functions that a signal handler may call.
            let text: StaticString = "\nfogbase: The job goes on. 'fogbase jobs cancel' ends it.\n"
            _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
            _exit(ExitCode.interrupted.rawValue)
        }
        // The process that has started this one may have blocked the signal.
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }
}

/// What `fogbase jobs watch` prints.
private struct JobView {
    let isJSON: Bool
    let isQuiet: Bool
    private let isTerminal: Bool
    private var lines = JobLines()
    private var last: JSONValue?

    init(isJSON: Bool, isQuiet: Bool) {
        self.isJSON = isJSON
        self.isQuiet = isQuiet
        isTerminal = (isQuiet || isatty(STDOUT_FILENO) == 1) && isatty(STDERR_FILENO) == 1
    }

    mutating func show(_ job: JSONValue) {
        // A new connection repeats the job.
        guard job != last else { return }
        last = job
        let now = WallClock.milliseconds
        if isJSON {
            OperatorCommand.print(job)
        } else if isTerminal {
            Terminal.showProgress(JobProgress(job).bar(width: Terminal.width, now: now))
        } else if !isQuiet, let line = lines.next(JobProgress(job), now: now) {
            Terminal.say(line)
        }
    }

    /// Replaces the progress bar with the result.
    func end() {
        guard isTerminal, !isJSON, let last else { return }
        Terminal.showProgress("")
        if isQuiet { return }
        Terminal.say(JobProgress(last).line(now: WallClock.milliseconds))
    }
}
