/// Every kind of caller that the matrix sends a request as.
enum CallerKind: String, CaseIterable, Sendable {
    // Callers that the server accepts, in the order in which rows give their statuses.
    case anonymous, stranger, creator, member
    case keyInScope, keyOutOfScope, readOnlyKey
    case owner, developer, editor, viewer, bootstrap
    // Callers whose token is invalid, or invalid here.
    case endedSession, foreignSession, disabledUser, expiredKey, revokedKey, foreignKey, disabledAdministrator

    static let live: [CallerKind] = [
        .anonymous, .stranger, .creator, .member, .keyInScope, .keyOutOfScope, .readOnlyKey, .owner, .developer,
        .editor, .viewer, .bootstrap,
    ]

    static let dead: [CallerKind] = allCases.filter { !live.contains($0) }

    static let keys: Set<CallerKind> = [.keyInScope, .readOnlyKey]
    static let administrators: Set<CallerKind> = [.owner, .developer, .editor, .viewer, .bootstrap]
    static let owners: Set<CallerKind> = [.owner, .bootstrap]
    static let managers: Set<CallerKind> = [.owner, .developer, .bootstrap]
}
