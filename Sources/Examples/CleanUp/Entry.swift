import FogbaseClient
import Foundation

/// An event at one time.
@RecordCodable
struct Entry: Equatable {
    var run: String
    var time: Date
}
