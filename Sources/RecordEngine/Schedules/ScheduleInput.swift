internal import Calendars
package import RecordModel
internal import RecordStorage
package import RecordWire

/// The name of a schedule: 1 to 64 ASCII letters, digits, hyphens and underscores.
package struct ScheduleName: Hashable, Sendable {
    /// The text of the name.
    package let text: String

    /// - Throws: BAD_REQUEST for other text.
    package init(_ text: String) throws(RecordError) {
        let isValid = text.utf8.allSatisfy { byte in
            (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: "_")
        }
        guard isValid, (1...64).contains(text.utf8.count) else {
            throw .badRequest("The name of a schedule is 1 to 64 ASCII letters, digits, hyphens and underscores")
        }
        self.text = text
    }
}

/// What a caller states of a schedule.
///
/// ```json
/// {"cron":"0 3 * * *","timeZone":"Europe/Berlin","task":{"kind":"deleteRecords","recordType":"Post","where":"…"}}
/// ```
package struct ScheduleInput: Sendable {
    /// The keys of the JSON object.
    package static let keys = ["cron", "timeZone", "task", "paused"]

    let times: ScheduleTimes
    let task: BulkTask
    let isPaused: Bool

    /// Reads a schedule.
    ///
    /// - Throws: BAD_REQUEST for missing or invalid values.
    package init(_ object: JSONObject) throws(RecordError) {
        guard let cron = object["cron"]?.string else {
            throw Self.invalid("The body needs 'cron', a string", at: "cron")
        }
        if let zone = object["timeZone"], zone.string == nil {
            throw Self.invalid("'timeZone' is a string, such as Europe/Berlin", at: "timeZone")
        }
        times = try ScheduleTimes(cron: cron, timeZone: object["timeZone"]?.string ?? "UTC")
        guard let task = object["task"] else { throw Self.invalid("The body needs 'task', a JSON object", at: "task") }
        self.task = try BulkTask(task)
        if let paused = object["paused"], paused.bool == nil {
            throw Self.invalid("'paused' is true or false", at: "paused")
        }
        isPaused = object["paused"]?.bool ?? false
    }

    private static func invalid(_ reason: String, at key: String) -> RecordError {
        .badRequest(reason, details: [("path", .text(key))])
    }
}

/// The times at which a schedule starts jobs.
struct ScheduleTimes: Sendable {
    let cron: CronExpression
    let timeZone: String
    private let rules: TimeZoneRules

    /// - Throws: BAD_REQUEST for an invalid expression, or a time zone that the system does not have.
    init(cron: String, timeZone: String) throws(RecordError) {
        do throws(CronExpression.Problem) {
            self.cron = try CronExpression(cron)
        } catch {
            throw .badRequest(error.reason, details: [("path", .text("cron"))])
        }
        self.timeZone = timeZone
        guard timeZone != "UTC" else {
            rules = .utc
            return
        }
        guard let file = TimeZoneDirectory.file(timeZone), let rules = try? TimeZoneRules(file: file) else {
            throw Self.unknown(timeZone)
        }
        self.rules = rules
    }

    /// BAD_REQUEST: the system has no time zone with a name.
    static func unknown(_ timeZone: String, cause: RecordError.Cause? = nil) -> RecordError {
        .badRequest(
            "The server has no time zone with this name. Names are those of the IANA database, such as Europe/Berlin; the package tzdata has them",
            cause: cause, details: [("path", .text("timeZone")), ("timeZone", .text(String(timeZone.prefix(64))))])
    }

    /// Returns the first time after another time; both in milliseconds since 1970.
    func next(after moment: Int64) -> Int64? {
        cron.next(after: Int(moment / 1_000), in: rules).map { Int64($0) * 1_000 }
    }
}
