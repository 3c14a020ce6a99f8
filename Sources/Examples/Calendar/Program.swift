import ExampleSupport
import FogbaseClient
import Foundation

/// A calendar on two devices of one user, and another user who cannot see it.
@main enum Program {
    static func main() async {
        await Example.run("A calendar whose schedules are their owner's, on two devices.") { example in
            let name = Example.fresh("mio")
            let phone = Fogbase(example.server).container()
            try await phone.signUp(name, password: "correct horse battery", label: "phone")
            let tablet = Fogbase(example.server).container()
            let user = try await tablet.signIn(name, password: "correct horse battery", label: "tablet")
            example.say("\(user.name ?? "") is signed in on two devices.")

            let planner = Planner(database: phone.publicDatabase, calendar: utc)
            var copy = LocalCopy()
            let lunch = try await plan(planner, example)
            try await copy.follow(tablet.publicDatabase) { $0.schedules.count == 6 }
            try example.check("the tablet has followed the changes", copy.schedules[lunch.id]?.title == "Lunch")

            try await look(planner, example)
            try await edit(planner, lunch, &copy, tablet, example)
            try await keepOut(lunch, example)
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
    private static func plan(_ planner: Planner, _ example: Example) async throws -> Stored<Schedule> {
        _ = try await planner.add("Late in February", at: date(2, 28, 23), hours: 1)
        _ = try await planner.add("Midnight walk", at: date(3, 1), hours: 1)
        let lunch = try await planner.add("Lunch", at: date(3, 14, 12), hours: 1.5, place: "Harbour")
        _ = try await planner.add("Rehearsal", at: date(3, 14, 19), hours: 2)
        _ = try await planner.add("Last hour", at: date(3, 31, 23), hours: 1)
        _ = try await planner.add("April begins", at: date(4, 1), hours: 1)
        let rights = lunch.metadata.access?.principals ?? []
        try example.check("a schedule names its maker alone", rights == [lunch.metadata.creator])
        return lunch
    }

    private static func look(_ planner: Planner, _ example: Example) async throws {
        let march = try await planner.month(of: date(3, 10))
        for schedule in march { example.say("  \(schedule.start.formatted(.iso8601)) \(schedule.title)") }
        let titles = ["Midnight walk", "Lunch", "Rehearsal", "Last hour"]
        try example.check("March begins and ends at midnight", march.map(\.title) == titles)
        let day = try await planner.day(of: date(3, 14)).map(\.title)
        try example.check("a day has its schedules", day == ["Lunch", "Rehearsal"])
    }

    /// Changes and deletes on the phone, which the tablet receives through the feed.
    private static func edit(
        _ planner: Planner, _ lunch: Stored<Schedule>, _ copy: inout LocalCopy, _ tablet: Container, _ example: Example
    ) async throws {
        var changed = lunch
        changed.title = "Long lunch"
        changed.place = nil
        let saved = try await planner.save(changed)
        try await copy.follow(tablet.publicDatabase) { $0.schedules[lunch.id]?.title == "Long lunch" }
        try example.check("a change comes to the tablet", copy.schedules[lunch.id]?.place == nil)

        do {
            changed.title = "Written on an old copy"
            _ = try await planner.save(changed)
            throw ExampleFailure("an old copy was written over a newer one")
        } catch FogbaseError.conflict {
            example.say("  ✓ an old copy is not written over a newer one")
        }

        try await planner.remove(saved)
        try await copy.follow(tablet.publicDatabase) { $0.schedules[lunch.id] == nil }
        try example.check("a deletion comes to the tablet", copy.schedules.count == 5)
    }

    /// Another user and a guest see nothing, not even that records exist.
    private static func keepOut(_ lunch: Stored<Schedule>, _ example: Example) async throws {
        let other = Fogbase(example.server).container()
        try await other.signUp(Example.fresh("other"), password: "correct horse battery")
        for app in [other, Fogbase(example.server).container()] {
            let planner = Planner(database: app.publicDatabase, calendar: utc)
            let seen = try await planner.month(of: date(3, 10)).count
            let changed = try await changedTypes(app.publicDatabase)
            let who = try await app.accountStatus().user?.name ?? "a guest"
            try example.check("\(who) sees no schedule", seen == 0)
            try example.check("\(who) learns of none by the changes", !changed.contains(Schedule.recordType))
        }
        do {
            _ = try await other.publicDatabase.fetch(Schedule.self, lunch.id)
            throw ExampleFailure("somebody else has read a schedule")
        } catch FogbaseError.notFound {
            example.say("  ✓ for others there is no such record")
        }
    }

    /// The types of all records in a user's feed.
    private static func changedTypes(_ database: Database) async throws -> Set<String> {
        var page = try await database.changes(fields: [])
        var types = Set(page.changed.map(\.recordType))
        while page.moreComing {
            page = try await database.changes(since: page.token, fields: [])
            types.formUnion(page.changed.map(\.recordType))
        }
        return types
    }
}
