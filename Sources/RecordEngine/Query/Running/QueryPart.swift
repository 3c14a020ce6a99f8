internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// A plan and where it is run: in a zone, for the records without an access list, or in an audience, for some of those with
/// one. A class, since each record that is asked passes it on.
final class QueryPart {
    let plan: QueryPlan
    let home: RowHome
    let residual: RecordMatcher
    /// What an entry whose key may be cut is asked again: the whole condition, if some value of it is as long as what keys
    /// keep.
    let whole: RecordMatcher?

    init(_ plan: QueryPlan, in home: RowHome) {
        self.plan = plan
        self.home = home
        residual = RecordMatcher(plan.residual)
        whole = plan.predicate.hasLongText ? RecordMatcher(plan.predicate) : nil
    }

    /// The order in which the plan's walks are to be read.
    var order: ReadingOrder {
        plan.isByTime ? .time : plan.isSorted ? .none : .query
    }

    /// Whether each record is asked what is left of the condition.
    var asks: Bool { !residual.isTrivial }

    /// Whether the number of entries is that of matches.
    var countsByEntries: Bool {
        !asks && whole == nil && !plan.hasOverlaps
    }
}

extension Predicate {
    /// Whether it compares with a text that is as long as what keys keep of texts, or longer.
    var hasLongText: Bool {
        switch self {
        case .constant: false
        case .not(let inner): inner.hasLongText
        case .and(let list), .or(let list): list.contains { $0.hasLongText }
        case .condition(let condition):
            switch condition.test {
            case .isNull: false
            case .equals(let value): value.isLong
            case .isIn(let list): list.contains { $0.isLong }
            case .isWithin(let range): range.lower?.value.isLong == true || range.upper?.value.isLong == true
            case .hasPrefix(let text): text.count >= IndexKey.textBytes
            }
        }
    }
}

extension QueryValue {
    fileprivate var isLong: Bool {
        if case .text(let text) = self { text.count >= IndexKey.textBytes } else { false }
    }
}
