import RecordWire

/// A job as the server describes it, formatted for people.
struct JobProgress {
    private let job: JSONValue

    /// - Parameter job: The JSON of a job.
    init(_ job: JSONValue) { self.job = job }

    var id: String { job.text("id") }
    var state: String { job.text("state") }

    /// Whether the job has ended.
    var isFinal: Bool { ["succeeded", "failed", "cancelled"].contains(state) }

    private var done: Int64 { job["done"]?.integer ?? 0 }
    private var skipped: Int64 { job["skipped"]?.integer ?? 0 }
    private var total: Int64? { job["total"]?.integer }

    /// The completed part, 0 to 1; `nil` if the total is unknown. Skipped records count as completed.
    private var fraction: Double? {
        guard let total else { return nil }
        if state == "succeeded" || total == 0 { return 1 }
        return min(1, Double(done + skipped) / Double(total))
    }

    /// The percentage, such as `42 %`. It is rounded down, so that only a completed job has 100 %.
    var percent: String { fraction.map { "\(Int($0 * 100)) %" } ?? "" }

    /// The number of changed records, such as `120,000 of 500,000`.
    var amount: String {
        let text = total.map { "\(Self.grouped(done)) of \(Self.grouped($0))" } ?? "\(Self.grouped(done)) done"
        return skipped > 0 ? "\(text), \(Self.grouped(skipped)) skipped" : text
    }

    /// The records per second, such as `24,000/s`; empty if unknown.
    var rate: String { job["rate"]?.integer.map { Self.grouped($0) + "/s" } ?? "" }

    /// The estimated time until the end, such as `2 min 05 s left`; empty if unknown.
    var timeLeft: String { job["secondsLeft"]?.integer.map { Self.duration($0) + " left" } ?? "" }

    /// Why a job has failed: the server's sentence.
    var reason: String { job["error"]?.text("reason") ?? "" }

    /// The time since the start; until the end if the job has ended. Empty before the start.
    ///
    /// - Parameter now: Milliseconds since 1970.
    func elapsed(now: Int64) -> String {
        guard let started = job["started"]?.integer else { return "" }
        return Self.duration(max(0, (job["ended"]?.integer ?? now) - started) / 1_000)
    }

    /// A line for output that is not a terminal, such as `running: 24 %, 120,000 of 500,000, 24,000/s, 16 s left`.
    ///
    /// - Parameter now: Milliseconds since 1970.
    func line(now: Int64) -> String {
        let elapsed = elapsed(now: now)
        let end = isFinal ? (elapsed.isEmpty ? "" : "in " + elapsed) : timeLeft
        let parts = [percent, amount, isFinal ? "" : rate, end].filter { !$0.isEmpty }
        return "\(state): " + parts.joined(separator: ", ")
    }

    /// A line for a terminal, such as `[#####---------------]  24 %  120,000 of 500,000  24,000/s  16 s left`.
    ///
    /// Parts that do not fit are left out, the last ones first. The bar takes the rest of the line, up to 40 columns.
    ///
    /// - Parameters:
    ///   - width: The number of columns of the terminal.
    ///   - now: Milliseconds since 1970.
    func bar(width: Int, now: Int64) -> String {
        let note = state == "running" ? "" : state
        let time = fraction == nil ? elapsed(now: now) : timeLeft
        var parts = [fraction == nil ? "" : Self.padded(percent, to: 5), note, amount, rate, time]
            .filter { !$0.isEmpty }
        func length(bar: Int) -> Int { parts.reduce(0) { $0 + $1.count + 2 } + bar }
        // Some terminals break a line that fills the last column.
        let room = max(0, width - 1)
        while parts.count > 1, length(bar: Self.shortestBar) > room { parts.removeLast() }
        let size = min(Self.longestBar, room - length(bar: 0))
        guard let fraction, size >= Self.shortestBar else {
            return String(parts.joined(separator: "  ").prefix(room))
        }
        let inner = size - 2
        let filled = Int(Double(inner) * fraction)
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: inner - filled)
        return (["[\(bar)]"] + parts).joined(separator: "  ")
    }

    private static let shortestBar = 6
    private static let longestBar = 42

    private static func padded(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// Formats a number with commas between thousands, such as `1,200`.
    static func grouped(_ number: Int64) -> String {
        var text = ""
        for (index, digit) in String(number.magnitude).reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return (number < 0 ? "-" : "") + String(text.reversed())
    }

    /// Formats seconds, such as `16 s`, `2 min 05 s` or `3 h 07 min`.
    static func duration(_ seconds: Int64) -> String {
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3_600 { return "\(seconds / 60) min \(two(seconds % 60)) s" }
        return "\(seconds / 3_600) h \(two(seconds / 60 % 60)) min"
    }
}

/// Selects the lines that `fogbase jobs watch` prints if its output is not a terminal: one for each new state, and
/// between them at most one per second.
struct JobLines {
    private var state = ""
    private var text = ""
    private var printed: Int64 = 0

    /// Returns the line to print; `nil` for none.
    ///
    /// - Parameters:
    ///   - job: The job as it is now.
    ///   - now: Milliseconds since 1970.
    mutating func next(_ job: JobProgress, now: Int64) -> String? {
        let line = job.line(now: now)
        // The system time can jump back.
        let isTime = now - printed >= 1_000 || now < printed
        guard job.state != state || (line != text && isTime) else { return nil }
        (state, text, printed) = (job.state, line, now)
        return line
    }
}
