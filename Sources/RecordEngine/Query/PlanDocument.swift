internal import RecordModel
internal import RecordWire

/// A query plan in the form that `explain` returns. Row counts include records that the caller may not see. Therefore
/// only callers that may read the schema receive row counts.
struct PlanDocument {
    let plan: QueryPlan
    /// The predicate without the numbers of deleted accounts.
    let asked: Predicate
    /// The tests of other records and what they found.
    let targets: [TargetQuery]
    /// The number of audiences that the query scans in addition to the zone. An audience holds records that the caller
    /// may read through their access lists.
    let audiences: Int
    let type: RecordTypeDefinition
    let examined: Int
    let returned: Int
    let nanoseconds: UInt64
    let isOnPool: Bool
    let showsFigures: Bool
    /// Whether to show the scans. Only callers that may read all records see the scans, because the choice of an index
    /// reveals how many records have a value.
    let showsScans: Bool
    /// Whether the plan depends on statistics shared by all private databases. If true, only callers that may read the
    /// schema see the plan. Always false in development, because developers need the plan.
    let isAmongOthers: Bool

    init(
        _ parts: [QueryBranch], asked: Predicate, targets: [TargetQuery] = [], type: RecordTypeDefinition,
        examined: Int, returned: Int, nanoseconds: UInt64, isOnPool: Bool, showsFigures: Bool, showsScans: Bool,
        isAmongOthers: Bool
    ) {
        // All branches come from one predicate and one order. The document shows the plan for records without access
        // lists.
        plan = parts[0].plan
        audiences = parts.count - 1
        self.asked = asked
        self.targets = targets
        self.type = type
        self.examined = examined
        self.returned = returned
        self.nanoseconds = nanoseconds
        self.isOnPool = isOnPool
        self.showsFigures = showsFigures
        self.showsScans = showsScans
        self.isAmongOthers = isAmongOthers
    }

    var json: JSONValue {
        guard showsScans else { return restricted("may read all records") }
        // A condition on deleted accounts becomes one scan per deleted account.
        guard showsFigures || !asked.namesDeletedAccounts && !isAmongOthers else {
            return restricted("may read the schema")
        }
        var members: [(String, JSONValue)] = [
            ("text", .string((targets.map(\.text) + [plan.text(of: type)]).joined(separator: "\n"))),
            ("access", .array(access)),
        ]
        if !targets.isEmpty { members.append(("targets", .array(targets.map(\.json)))) }
        if audiences > 0 { members.append(("audiences", .integer(Int64(audiences)))) }
        if plan.residual != .constant(true) { members.append(("residual", .string(plan.residual.text(limit: 1_024)))) }
        members.append(("sort", .string(plan.isSorted ? "sorted" : plan.order.isByID ? "none" : "index")))
        if showsFigures {
            members.append(("estimatedRows", .integer(Int64(plan.estimatedRows))))
            members.append(("examinedRows", .integer(Int64(examined))))
            members.append(("milliseconds", .double(Double(nanoseconds / 1_000) / 1_000)))
        }
        members.append(("returnedRows", .integer(Int64(returned))))
        members.append(("ranOn", .string(isOnPool ? "pool" : "loop")))
        return .object(JSONObject(members))
    }

    /// The document for callers that may not see the scans. It contains only the parts that follow from the query
    /// alone.
    ///
    /// - Parameter others: The callers that see the whole plan, for the text.
    private func restricted(_ others: String) -> JSONValue {
        let condition = asked.text(limit: 1_024)
        var members: [(String, JSONValue)] = [
            ("text", .string("scans are shown to callers that \(others)\nfilter: \(condition)")),
            ("access", .array([])), ("residual", .string(condition)), ("returnedRows", .integer(Int64(returned))),
        ]
        if !targets.isEmpty { members.append(("targets", .array(targets.map(\.json)))) }
        return .object(JSONObject(members))
    }

    /// The maximum number of scans in the document. The document omits further scans.
    private static let shownScans = 20

    private var access: [JSONValue] {
        plan.scans.prefix(Self.shownScans).map { scan in
            .object(
                JSONObject([
                    ("index", .string(scan.name(of: type))), ("condition", .string(scan.conditionText(limit: 512))),
                    ("direction", .string(scan.isBackward ? "backward" : "forward")),
                ]))
        }
    }
}

extension QueryPlan {
    /// The plan as lines of text.
    func text(of type: RecordTypeDefinition) -> String {
        var lines: [String] = []
        if scans.isEmpty { lines.append("nothing can match") }
        if scans.count > 1 { lines.append(isSorted ? "union of \(scans.count)" : "merge of \(scans.count)") }
        for scan in scans.prefix(4) {
            let direction = scan.isBackward ? " backward" : ""
            let condition =
                scan.condition == .constant(true) && !scan.isInexact ? "all" : scan.conditionText(limit: 256)
            lines.append("scan \(scan.name(of: type))\(direction): \(condition)")
        }
        if scans.count > 4 { lines.append("…") }
        if nearest != nil { lines.append("nearest: \(order.columns.map(\.text).joined(separator: ", "))") }
        if residual != .constant(true) { lines.append("filter: \(residual.text(limit: 512))") }
        if isSorted {
            let terms = order.columns.map(\.text)
            lines.append("sort: \((terms + [order.isIDAscending ? "id" : "-id"]).joined(separator: ", "))")
        }
        return lines.joined(separator: "\n")
    }
}

extension IndexScan {
    /// The condition that the scan satisfies, as text for `explain`.
    fileprivate func conditionText(limit: Int) -> String {
        guard isInexact, case .index(let index) = source else { return condition.text(limit: limit) }
        return index.kind == .places ? condition.text(limit: limit) + ", tested" : "long texts, which are tested"
    }

    /// The name of the scan's index or key, as text for `explain`.
    func name(of type: RecordTypeDefinition) -> String {
        switch source {
        case .records: "records of \(type.name)"
        case .creator: "records of \(type.name) by creator"
        case .name: "record name"
        case .postings(let tree):
            "postings of "
                + tree.indexes.map { "index (\(type.names(of: $0.shape).joined(separator: ", ")))" }
                .joined(separator: ", ")
        case .index(let index):
            "index (\(type.names(of: index.shape).joined(separator: ", ")))\(index.kind == .members ? " of members" : "")"
        }
    }
}
