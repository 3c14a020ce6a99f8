internal import RecordModel
internal import RecordStorage
internal import RecordWire
internal import TextSearch

/// A plan and the home in which the plan runs. A zone holds the records without an access list; an audience holds some
/// of the records with one. `QueryBranch` is a class because each record test passes it on.
final class QueryBranch {
    let plan: QueryPlan
    let home: RowHome
    let residual: RecordMatcher
    /// Matches the whole predicate against records whose index keys may be truncated, and records of inexact scans;
    /// `nil` if there are none.
    let whole: RecordMatcher?

    init(_ plan: QueryPlan, in home: RowHome) {
        self.plan = plan
        self.home = home
        residual = RecordMatcher(plan.residual)
        whole =
            plan.predicate.hasLongText || plan.scans.contains(where: \.mayNeedTest)
            ? RecordMatcher(plan.predicate) : nil
    }

    /// The number of words that count for the rank and whose postings the only scan reads; 0 for other scans.
    private(set) lazy var rankedWords: Int = {
        guard plan.scans.count == 1, case .postings(let tree) = plan.scans[0].source else { return 0 }
        struct Word: Hashable {
            let search: Int
            let word: Int
        }
        return Set(tree.leaves.compactMap(\.label).map { Word(search: $0.search, word: $0.word) }).count
    }()

    /// The order in which the plan's scans are read.
    var order: ScanOrder {
        plan.isByTime ? .time : plan.isSorted ? .none : .query
    }

    /// Whether each record must be tested against the remaining condition.
    var asks: Bool { !residual.isTrivial }

    /// Whether counting entries gives the number of matches.
    var countsByEntries: Bool {
        !asks && whole == nil && !plan.hasOverlaps
    }
}

extension Predicate {
    /// Whether the predicate compares with a text at least as long as a key can hold.
    var hasLongText: Bool {
        switch self {
        case .constant, .search: false
        case .not(let inner): inner.hasLongText
        case .and(let list), .or(let list): list.contains { $0.hasLongText }
        case .condition(let condition):
            switch condition.test {
            case .isNull: false
            case .equals(let value): value.isLong
            case .isIn(let list): list.contains { $0.isLong }
            case .isWithin(let range): range.lower?.value.isLong == true || range.upper?.value.isLong == true
            case .hasPrefix(let text): text.count >= IndexKey.textBytes
            // No range of keys stands for these tests.
            case .contains, .matches, .isInside, .leadsTo: false
            }
        }
    }
}

extension QueryValue {
    fileprivate var isLong: Bool {
        if case .text(let text) = self { text.count >= IndexKey.textBytes } else { false }
    }
}
