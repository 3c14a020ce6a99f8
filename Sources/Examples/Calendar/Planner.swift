import FogbaseClient
import Foundation

/// The schedules that the signed-in user may read. It is not called `Calendar`, since Foundation has that type.
struct Planner {
    let database: Database
    /// Defines where days and months begin.
    let calendar: Calendar

    // MARK: Reading

    /// The schedules that begin in the month of a date, at most 1,000.
    func month(of date: Date) async throws -> [Stored<Schedule>] {
        try await schedules(in: .month, of: date)
    }

    /// The schedules that begin on the day of a date.
    func day(of date: Date) async throws -> [Stored<Schedule>] {
        try await schedules(in: .day, of: date)
    }

    private func schedules(in unit: Calendar.Component, of date: Date) async throws -> [Stored<Schedule>] {
        guard let interval = calendar.dateInterval(of: unit, for: date) else { return [] }
        let query = Query<Schedule>()
            .filter(\.start, in: interval.start..<interval.end)
            .sorted(by: \.start)
            .limit(to: 1_000)
        return try await database.fetch(query).items
    }

    // MARK: Writing

    func add(_ title: String, at start: Date, hours: Double, place: String? = nil) async throws -> Stored<Schedule> {
        let schedule = Schedule(title: title, place: place, start: start, end: start.addingTimeInterval(hours * 3_600))
        return try await database.create(schedule, access: Schedule.access)
    }

    /// - Throws: `FogbaseError.conflict` if another device has changed it since it was read.
    func save(_ schedule: Stored<Schedule>) async throws -> Stored<Schedule> {
        try await database.save(schedule)
    }

    /// - Throws: `FogbaseError.conflict` if another device has changed it since it was read.
    func remove(_ schedule: Stored<Schedule>) async throws {
        try await database.delete(schedule)
    }
}
