import FogbaseClient
import Foundation

/// The schedules stored on a device, so that the calendar also opens without a network.
struct LocalCopy {
    private(set) var schedules: [String: Stored<Schedule>] = [:]
    /// How far the device has read the changes. Store it with the schedules; the feed continues from there.
    private(set) var token: ChangeToken?

    /// Applies an event of the feed.
    mutating func take(_ event: ModelChangeFeed<Schedule>.Event) {
        switch event {
        case .startOver: schedules = [:]
        case .changes(let page):
            for schedule in page.items { schedules[schedule.id] = schedule }
            for name in page.deleted { schedules[name] = nil }
        }
        token = event.token
    }

    /// Follows the feed until `isDone` returns true. An app follows it as long as the app is open.
    mutating func follow(_ database: Database, until isDone: (LocalCopy) -> Bool) async throws {
        for try await event in database.changeFeed(of: Schedule.self, since: token, every: .milliseconds(100)) {
            take(event)
            if isDone(self) { return }
        }
    }
}
