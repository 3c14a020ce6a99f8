import FogbaseClient
import Foundation

/// Something that somebody has planned.
@RecordCodable
struct Schedule {
    var title: String
    var place: String?
    var start: Date
    var end: Date

    /// Who makes it reads and writes it, and nobody else does; a public record without a list is for everybody to read.
    static let access = RecordAccess.onlyCreator
}
