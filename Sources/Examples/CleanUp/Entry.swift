import FogbaseClient
import Foundation

/// Something that has happened once.
@RecordCodable
struct Entry: Equatable {
    var run: String
    var time: Date
}
