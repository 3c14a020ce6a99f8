import FogbaseClient
import Foundation

/// What a device keeps of the schedules, for a calendar that also opens without a network.
struct LocalCopy {
    private(set) var schedules: [String: Schedule] = [:]
    /// How far the device has read; kept with the schedules, it goes on from there.
    private(set) var token: ChangeToken?

    /// Works in what the feed tells.
    mutating func take(_ event: ChangeFeed.Event) throws {
        switch event {
        case .startOver: schedules = [:]
        case .changes(let page):
            for record in page.changed where record.recordType == Schedule.recordType {
                schedules[record.name] = try record.decode()
            }
            for record in page.deleted { schedules[record.name] = nil }
        }
        token = event.token
    }

    /// Follows the feed until the copy is as it is expected to be. An app follows it as long as it is open.
    mutating func follow(_ database: Database, until isDone: (LocalCopy) -> Bool) async throws {
        for try await event in database.changeFeed(since: token, every: .milliseconds(100)) {
            try take(event)
            if isDone(self) { return }
        }
    }
}
