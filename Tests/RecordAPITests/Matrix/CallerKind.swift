/// Every kind of caller that the matrix sends a request as.
enum CallerKind: String, CaseIterable, Sendable {
    // Those who are let in, in the order in which rows give their statuses.
    case anonymous, stranger, creator, member
    case keyInScope, keyOutOfScope, readOnlyKey
    case owner, developer, editor, viewer, bootstrap
    // Those whose token is good for nothing, or not here.
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
