import ExampleSupport
import Foundation

/// An entry of a calendar.
struct Schedule: Model {
    var title: String
    var place: String?
    var start: Date
    var end: Date

    static let recordType = "WebSchedule"
    static var names: [PartialKeyPath<Schedule>: String] {
        [\.title: "title", \.place: "place", \.start: "start", \.end: "end"]
    }

    init(title: String, place: String?, start: Date, end: Date) {
        (self.title, self.place, self.start, self.end) = (title, place, start, end)
    }

    init(_ fields: Fields) throws {
        (title, place, start, end) = (try fields("title"), try fields("place"), try fields("start"), try fields("end"))
    }

    var fields: [String: FieldValue] {
        ["title": title.fieldValue, "place": place.fieldValue, "start": start.fieldValue, "end": end.fieldValue]
    }
}

/// The calendar of the signed-in user: a zone of the private database, because only custom zones have changes to
/// follow. It is not called `Calendar`, since Foundation has that type.
struct Planner {
    let services: WebServices
    /// Defines where days and months begin.
    let calendar: Calendar

    init(_ services: WebServices, calendar: Calendar) {
        self.services = services.inDatabase("private", zone: "Calendar")
        self.calendar = calendar
    }

    /// The schedules that begin in the month of a date.
    func month(of date: Date) async throws -> [Stored<Schedule>] {
        guard let interval = calendar.dateInterval(of: .month, for: date) else { return [] }
        let query = Query<Schedule>().filter(\.start, in: interval.start..<interval.end).sorted(by: \.start)
        return try await services.all(query)
    }

    func add(_ title: String, at start: Date, hours: Double, place: String? = nil) async throws -> Stored<Schedule> {
        let end = start.addingTimeInterval(hours * 3_600)
        return try await services.create(Schedule(title: title, place: place, start: start, end: end))
    }
}

/// The schedules stored on a device, so that the calendar also opens without a network.
struct LocalCopy {
    private(set) var schedules: [String: Stored<Schedule>] = [:]
    /// How far the device has read the changes of the database and of the zone. Store them with the schedules.
    private var databaseToken: String?
    private var zoneToken: String?

    /// Reads the changes since the last call, page by page.
    mutating func synchronize(_ planner: Planner) async throws {
        let (zones, token) = try await planner.services.changedZones(since: databaseToken)
        if let zone = planner.services.zone, zones.contains(zone) {
            var page: WebServices.Changes
            repeat {
                page = try await planner.services.changes(since: zoneToken)
                for record in page.records {
                    guard let name = record.recordName else { continue }
                    schedules[name] = record.deleted == true ? nil : try Stored(record)
                }
                zoneToken = page.syncToken
            } while page.moreComing
        }
        databaseToken = token
    }
}

// MARK: - The application

extension Planner {
    /// A calendar on two devices of one user, and another user who cannot see it.
    static func run(_ app: App) async throws {
        let example = app.example
        let user = try await app.signUp("mio")
        let phone = Planner(try await user.signIn(), calendar: utc)
        let tablet = Planner(try await user.signIn(), calendar: utc)
        try await phone.services.createZone()

        var copy = LocalCopy()
        let lunch = try await plan(phone)
        try await copy.synchronize(tablet)
        try example.check("the tablet has followed the changes", copy.schedules[lunch.name]?.model.title == "Lunch")
        let march = try await phone.month(of: date(3, 10)).map(\.model)
        for schedule in march { example.say("  \(schedule.start.formatted(.iso8601)) \(schedule.title)") }
        let titles = ["Midnight walk", "Lunch", "Rehearsal", "Last hour"]
        try example.check("March begins and ends at midnight", march.map(\.title) == titles)

        try await edit(lunch, phone, &copy, tablet, example)
        let other = Planner(try await app.signUp("other").signIn(), calendar: utc)
        try await example.check("another user sees no schedule", failsWith: "ZONE_NOT_FOUND") {
            _ = try await other.month(of: date(3, 10))
        }
    }

    /// The same on every machine; an app uses `Calendar.current`.
    private static let utc = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    private static func date(_ month: Int, _ day: Int, _ hour: Int = 0) throws -> Date {
        let components = DateComponents(year: 2027, month: month, day: day, hour: hour)
        guard let date = utc.date(from: components) else { throw ExampleFailure("there is a day \(month)/\(day)") }
        return date
    }

    /// Schedules at both ends of March, and before and after it.
    private static func plan(_ planner: Planner) async throws -> Stored<Schedule> {
        _ = try await planner.add("Late in February", at: date(2, 28, 23), hours: 1)
        _ = try await planner.add("Midnight walk", at: date(3, 1), hours: 1)
        let lunch = try await planner.add("Lunch", at: date(3, 14, 12), hours: 1.5, place: "Harbour")
        _ = try await planner.add("Rehearsal", at: date(3, 14, 19), hours: 2)
        _ = try await planner.add("Last hour", at: date(3, 31, 23), hours: 1)
        _ = try await planner.add("April begins", at: date(4, 1), hours: 1)
        return lunch
    }

    /// Changes and deletes on the phone, which the tablet receives with its next synchronization.
    private static func edit(
        _ lunch: Stored<Schedule>, _ phone: Planner, _ copy: inout LocalCopy, _ tablet: Planner, _ example: Example
    ) async throws {
        var changed = lunch
        changed.model.title = "Long lunch"
        changed.model.place = nil
        let saved = try await phone.services.update(changed, \.title, \.place)
        try await copy.synchronize(tablet)
        let received = copy.schedules[lunch.name]?.model
        try example.check(
            "a change comes to the tablet", received?.title == "Long lunch" && received?.place == nil)
        try await example.check("an old copy is not written over a newer one", failsWith: "CONFLICT") {
            try await phone.services.update(lunch, \.title)
        }
        try await phone.services.delete([saved.name])
        try await copy.synchronize(tablet)
        try example.check(
            "a deletion comes to the tablet", copy.schedules[lunch.name] == nil && copy.schedules.count == 5)
    }
}
