import FogbaseClient
import Foundation

/// An entry of a calendar.
@RecordCodable
struct Schedule {
    var title: String
    var place: String?
    var start: Date
    var end: Date

    /// Only the creator can read and write a schedule. Without an access list, everyone could read the public record.
    static let access = RecordAccess.onlyCreator
}
