internal import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

/// A query bound to the schema, to its caller's rights and to the page that it asks for.
struct PreparedQuery {
    /// As the caller knows it: without the fields that it may not read.
    let type: RecordTypeDefinition
    /// What of the records it is shown.
    let shown: ShownFields
    /// `nil` if nothing was ever written there.
    let zone: ZoneID?
    /// Whether the caller may read all records of the type there.
    let readsAll: Bool
    /// The condition as it was asked, for the records with an access list; on those that the caller has created alone if it
    /// names what only creators read.
    let condition: Predicate
    /// The condition for records without an access list, with what the caller may see of them joined to it.
    let predicate: Predicate
    /// The same without the numbers of accounts that are gone, which tell how many have gone: what is shown of it.
    let asked: Predicate
    /// Where the records with an access list are that the caller may read.
    let audiences: [AudienceID]
    /// Whether it names what only creators read, and is about the records that the caller has created.
    let isOwnAlone: Bool
    let sort: [SortTerm]
    let cursor: QueryCursor?
    let binding: QueryCursor.Binding
    /// By which its plan may be known; `nil` if that is not of words and schema alone.
    let words: KnownQueries.Words?
    /// What `now()` means: on all pages the moment of the first.
    let now: Int64

    var shape: QueryAdvice.Shape {
        QueryAdvice.Shape(
            type: type.name.text, condition: asked.shape,
            sort: sort.map(\.text).joined(separator: ","))
    }
}

extension QueryReader {
    /// Binds a query: rights first, then words.
    ///
    /// - Returns: `nil` for a type that development does not know yet.
    func bind(_ request: QueryRequest) throws(RecordError) -> PreparedQuery? {
        guard let whole = schema[request.typeName] else {
            guard database.environment == .development else {
                throw .unknownType(request.typeName)
            }
            return nil
        }
        let visibility = Visibility(of: whole, for: request.caller, in: request.address.scope)
        let reach = visibility.reads
        if reach == .none {
            throw .refused(request.caller, .read, .records(request.typeName))
        }
        let zone = try reader.zoneID(request.address)
        let audiences = try zone.map { zone throws(RecordError) in
            try reader.audiences(of: whole, for: request.caller, in: request.address.scope, zone: zone)
        }
        // A condition or a sort tells what stands in a field as well as reading it does. What only creators read may be
        // asked for by who reads none but its own records, and those that lists open to it: of these its own are looked at
        // then, and no others.
        let access = visibility.fields
        let readsOwn = if case .own = reach { true } else { false }
        var type = whole.without(access?.unreadable(isOwn: readsOwn) ?? [])
        let identity = request.input.identity
        // A widened field has other keys than before, and so has the order of creation: a cursor with the old ones does
        // not open.
        let widened = type.hasPreservedDates || type.indexes.contains { $0.columns.contains(where: \.readsAsDouble) }
        let binding = QueryCursor.Binding(
            zone: zone ?? .unassigned, type: type.id, caller: request.caller,
            identity: widened
                ? identity + [type.hasPreservedDates ? 1 : 0] + type.fields.map(\.type.rawValue) : identity)
        let cursor = try request.input.cursor.map { text throws(RecordError) in
            try QueryCursor.open(text, binding, with: database.keys)
        }
        let now = cursor?.now ?? WallClock.milliseconds
        let words = access == nil ? KnownQueries.Words(request.input, identity: identity, type: type.id) : nil
        let bound = try self.bound(request.input, words, to: type, now: now)
        var condition = try naming(goneAccountsIn: bound.predicate)
        var predicate = condition
        var asked = bound.predicate
        var isOwnAlone = false
        if case .own(let user) = reach {
            let own = Predicate.condition(Condition(.system(.createdUserRecordName), .equals(.account(user))))
            predicate = Predicate.and([own, predicate]).simplified()
            asked = Predicate.and([own, asked]).simplified()
            if let access {
                let hidden = access.unreadable(isOwn: false)
                isOwnAlone = bound.names(hidden)
                if isOwnAlone {
                    condition = predicate
                } else if !(audiences ?? []).isEmpty {
                    type = whole.without(hidden)
                }
            }
        }
        return PreparedQuery(
            type: type,
            shown: ShownFields(request.input.fields, of: whole, visibility),
            zone: zone, readsAll: reach == .all, condition: condition, predicate: predicate,
            asked: asked, audiences: audiences ?? [], isOwnAlone: isOwnAlone, sort: bound.sort, cursor: cursor,
            binding: binding,
            words: reach == .all && (audiences ?? []).isEmpty && !bound.predicate.namesGoneAccounts ? words : nil,
            now: now)
    }

    /// Reads and binds the words of a query, unless they are known.
    private func bound(
        _ input: QueryInput, _ words: KnownQueries.Words?, to type: RecordTypeDefinition, now: Int64
    ) throws(RecordError) -> BoundQuery {
        if let words, let known = reader.knownQueries.bound(words) { return known }
        var namesAccounts = false
        let bound = try input.bind(to: type, now: now) { name throws(RecordError) in
            namesAccounts = true
            return try self.writerID(named: name)
        }
        if let words, !namesAccounts { reader.knownQueries.keep(bound, for: words) }
        return bound
    }

    /// A condition on `_deleted` with the numbers of the accounts that it means, as long as they are not too many.
    private func naming(goneAccountsIn predicate: Predicate) throws(RecordError) -> Predicate {
        let tests = predicate.goneAccountTests
        guard tests > 0 else { return predicate }
        let table = store.goneAccounts
        // Each test gets all of them.
        let most = min(database.limits.goneAccountsByNumber, Limits.conditionMembers / tests)
        let numbers = try table.numbers(limit: most + 1)
        return numbers.count > most ? predicate : predicate.naming(goneAccounts: numbers).simplified()
    }

    /// The number of whoever is named as a record's writer.
    private func writerID(named name: String) throws(RecordError) -> UserID? {
        if name == SystemUser.deleted { return .gone }
        for special in [UserID.nobody, .administrator] where SystemUser.name(special) == name {
            return special
        }
        guard let name = UserRecordName(name) else { return nil }
        // Not by `AccountReader.id(of:)`, which refreshes the view: type and indexes are those of the view as it is.
        return try store.accounts.find(recordName: name.text)?.id
    }
}

extension BoundQuery {
    /// Whether a condition or a sort is on one of these fields.
    fileprivate func names(_ fields: [Int]) -> Bool {
        (predicate.fields + sort.map(\.field)).contains { field in
            if case .field(let field) = field { fields.contains(field.id) } else { false }
        }
    }
}
