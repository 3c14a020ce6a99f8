import FogbaseClient
import Foundation

/// What a device keeps of the schedules, for a calendar that also opens without a network.
struct LocalCopy {
    private(set) var schedules: [String: Stored<Schedule>] = [:]
    /// How far the device has read; kept with the schedules, it goes on from there.
    private(set) var token: ChangeToken?

    /// Works in what the feed tells.
    mutating func take(_ event: ModelChangeFeed<Schedule>.Event) {
        switch event {
        case .startOver: schedules = [:]
        case .changes(let page):
            for schedule in page.items { schedules[schedule.id] = schedule }
            for name in page.deleted { schedules[name] = nil }
        }
        token = event.token
    }

    /// Follows the feed until the copy is as it is expected to be. An app follows it as long as it is open.
    mutating func follow(_ database: Database, until isDone: (LocalCopy) -> Bool) async throws {
        for try await event in database.changeFeed(of: Schedule.self, since: token, every: .milliseconds(100)) {
            take(event)
            if isDone(self) { return }
        }
    }
}
