/// Under what a row stands in tables that lead with a zone: a record without an access list under its zone, one with a
/// list under each audience that may read it, and never under the zone.
///
/// A scan of such a table names the home, so a zone cannot be taken for an audience.
@frozen
package enum RowHome: Hashable, Sendable {
    case zone(ZoneID)
    case audience(AudienceID)

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
