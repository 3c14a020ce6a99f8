/// The first key column of rows in tables by zone. A record without an access list has its row under the zone. A record
/// with one has a row under each audience that may read it, and none under the zone.
///
/// The type of the home prevents a scan from using a zone's number as an audience's.
@frozen
package enum RowHome: Hashable, Sendable {
    case zone(ZoneID)
    case audience(AudienceID)

    /// Whether the home is an audience.
    @inlinable
    package var isAudience: Bool {
        if case .audience = self { true } else { false }
    }

    /// The audience; `nil` for a zone.
    @inlinable
    package var audience: AudienceID? {
        if case .audience(let id) = self { id } else { nil }
    }
}
