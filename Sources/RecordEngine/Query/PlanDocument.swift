internal import RecordModel
internal import RecordWire

/// A plan as answers show it. Figures of rows count records that the caller may not see, so only administrators get them.
struct PlanDocument {
    let plan: QueryPlan
    /// The condition without the numbers of accounts that are gone.
    let asked: Predicate
    /// How many audiences are walked besides: those of records with access lists that the caller may read.
    let audiences: Int
    let type: RecordTypeDefinition
    let examined: Int
    let returned: Int
    let nanoseconds: UInt64
    let isOnPool: Bool
    let showsFigures: Bool
    /// Which index is walked hangs on how many records have a value, whoever may read them: only those who may read all
    /// of them learn it.
    let showsWalks: Bool
    /// Of private databases it hangs on what is in those of others, whose records are counted together. Developers need it
    /// none the less, and have it in development.
    let isAmongOthers: Bool

    init(
        _ parts: [QueryPart], asked: Predicate, type: RecordTypeDefinition, examined: Int, returned: Int,
        nanoseconds: UInt64, isOnPool: Bool, showsFigures: Bool, showsWalks: Bool, isAmongOthers: Bool
    ) {
        // All are made of one condition and one order; that of the records without access lists stands for them.
        plan = parts[0].plan
        audiences = parts.count - 1
        self.asked = asked
        self.type = type
        self.examined = examined
        self.returned = returned
        self.nanoseconds = nanoseconds
        self.isOnPool = isOnPool
        self.showsFigures = showsFigures
        self.showsWalks = showsWalks
        self.isAmongOthers = isAmongOthers
    }

    var json: JSONValue {
        guard showsWalks else { return restricted("may read all records") }
        // There is one for each account that is gone.
        guard showsFigures || !asked.namesGoneAccounts && !isAmongOthers else {
            return restricted("may read the schema")
        }
        var members: [(String, JSONValue)] = [
            ("text", .string(plan.text(of: type))), ("access", .array(access)),
        ]
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

    /// What follows from the query alone.
    ///
    /// - Parameter others: Who is shown more.
    private func restricted(_ others: String) -> JSONValue {
        let condition = asked.text(limit: 1_024)
        return .object(
            JSONObject([
                ("text", .string("walks are shown to those who \(others)\nfilter: \(condition)")),
                ("access", .array([])), ("residual", .string(condition)), ("returnedRows", .integer(Int64(returned))),
            ]))
    }

    /// The most walks that are listed.
    private static let shownWalks = 20

    private var access: [JSONValue] {
        plan.walks.prefix(Self.shownWalks).map { walk in
            .object(
                JSONObject([
                    ("index", .string(walk.name(of: type))), ("condition", .string(walk.condition.text(limit: 512))),
                    ("direction", .string(walk.isBackward ? "backward" : "forward")),
                ]))
        }
    }
}

extension QueryPlan {
    /// The plan in lines.
    func text(of type: RecordTypeDefinition) -> String {
        var lines: [String] = []
        if walks.isEmpty { lines.append("nothing can match") }
        if walks.count > 1 { lines.append(isSorted ? "union of \(walks.count)" : "merge of \(walks.count)") }
        for walk in walks.prefix(4) {
            let direction = walk.isBackward ? " backward" : ""
            let condition = walk.condition == .constant(true) ? "all" : walk.condition.text(limit: 256)
            lines.append("walk \(walk.name(of: type))\(direction): \(condition)")
        }
        if walks.count > 4 { lines.append("…") }
        if residual != .constant(true) { lines.append("filter: \(residual.text(limit: 512))") }
        if isSorted {
            let terms = order.columns.map(\.text)
            lines.append("sort: \((terms + [order.isIDAscending ? "id" : "-id"]).joined(separator: ", "))")
        }
        return lines.joined(separator: "\n")
    }
}

extension IndexWalk {
    /// The name of what is walked.
    func name(of type: RecordTypeDefinition) -> String {
        switch source {
        case .records: "records of \(type.name)"
        case .creator: "records of \(type.name) by creator"
        case .name: "record name"
        case .index(let index):
            "index (\(type.names(of: index.columns).joined(separator: ", ")))\(index.kind == .members ? " of members" : "")"
        }
    }
}
