internal import RecordWire

/// Carrying pages of records over: mapping, writing, and remembering what is done.
extension Importer {
    /// Carries a page over, in groups. Each group ends with an event in the state file.
    func carry(_ page: SourcePage, of walk: WalkName) async throws(ImportError) {
        let done = state.walks[walk]?.done ?? []
        let items = try await settled(page.records, in: walk.zone).filter { !done.contains($0.key) }
        var group: [SourceItem] = []
        var (bytes, assetBytes) = (0, Int64(0))
        for item in items {
            let (itemBytes, itemAssets) = item.weight
            let isFull =
                group.count >= target.mostOperations || bytes + itemBytes > target.mostBytes
                || assetBytes + itemAssets > options.assetBytes
            if isFull, !group.isEmpty {
                var batch = ImportBatch(walk)
                batch.done = group.map(\.key)
                try await carry(group, into: &batch)
                (group, bytes, assetBytes) = ([], 0, 0)
                try clock.checkInterruption()
            }
            group.append(item)
            bytes += itemBytes
            assetBytes += itemAssets
        }
        var batch = ImportBatch(walk)
        batch.movesOn = true
        batch.next = page.position
        batch.ends = page.isLast
        try await carry(group, into: &batch)
    }

    /// Maps records. Asks again for those that the source could not return just now.
    private func settled(_ records: [JSONObject], in zone: String) async throws(ImportError) -> [SourceItem] {
        let mapping = RecordMapping(users: options.users, zone: zone)
        var items = records.map(mapping.map)
        var attempts = RetrySchedule()
        while true {
            let passing = items.indices.filter { items[$0].passes != nil && items[$0].name != nil }
            let names = passing.compactMap { items[$0].name }
            let asked = passing.compactMap { items[$0].passes }.max()
            guard !names.isEmpty, let delay = attempts.next(after: asked) else { return items }
            try await clock.wait(milliseconds: delay)
            let found = try await lookUp(names, in: zone)
            for index in passing {
                if let name = items[index].name, let item = found[name] { items[index] = item }
            }
        }
    }

    /// Returns records of the source by their names. Names that the source does not know are missing.
    func lookUp(_ names: [String], in zone: String) async throws(ImportError) -> [String: SourceItem] {
        let mapping = RecordMapping(users: options.users, zone: zone)
        var items: [String: SourceItem] = [:]
        var rest = names[...]
        while !rest.isEmpty {
            let part = rest.prefix(min(SourceClient.mostNames, options.pageSize))
            do throws(ImportError) {
                for record in try await source.lookUp(Array(part), in: zone) {
                    let item = mapping.map(record)
                    if let name = item.name { items[name] = item }
                }
                rest = rest.dropFirst(part.count)
            } catch {
                guard case .rejected(let code, let reason) = error else { throw error }
                if code == SourceClient.tooLarge, options.pageSize > 1 {
                    options.pageSize /= 2
                    continue
                }
                throw .failed("\(source.database.url) rejects a lookup of records: \(code), \(reason).")
            }
        }
        return items
    }

    /// Carries records over, and stores the batch.
    func carry(_ items: [SourceItem], into batch: inout ImportBatch) async throws(ImportError) {
        var records: [CarriedRecord] = []
        var deletions: [String] = []
        for item in items {
            switch item {
            case .record(let record): records.append(record)
            case .deleted(let name, _): deletions.append(name)
            case .unsupported(let name, let type, let reason):
                batch.problems[name] = ImportProblem(type: type, reason: reason)
            case .failed(let name, let reason, _):
                batch.problems[name ?? ""] = ImportProblem(
                    type: batch.walk.type ?? "", reason: "The source says: \(reason)")
            }
        }
        if !options.isDryRun {
            let failures = try await transferAssets(of: &records, in: batch.walk.zone)
            for (name, problem) in failures { batch.problems[name] = problem }
            records.removeAll { failures[$0.name] != nil }
        }
        // A deletion may delete records that refer to the deleted one. The newer records of the group come after it.
        try await delete(deletions, into: &batch)
        try await write(WriteOrder.sorted(records), into: &batch)
        progress.records += Int64(records.count + deletions.count)
        try record(.batch(batch))
    }

    // MARK: Deletions

    private func delete(_ names: [String], into batch: inout ImportBatch) async throws(ImportError) {
        guard !names.isEmpty else { return }
        let operations = names.map(Self.deletion)
        let results = options.isDryRun ? [] : try await perform(operations, in: batch.walk.zone)
        for (index, name) in names.enumerated() {
            if index < results.count, let code = results[index]["serverErrorCode"]?.string, code != "NOT_FOUND" {
                batch.deferred[name] = .deletion
                continue
            }
            batch.settled.append(name)
            batch.deleted += 1
            if let type = seen.removeValue(forKey: Self.hash(batch.walk.zone, name)) {
                batch.carried[type, default: 0] -= 1
            }
        }
    }

    static func deletion(_ name: String) -> JSONValue {
        ["operationType": "forceDelete", "record": ["recordName": .string(name)]]
    }

    // MARK: Writes

    /// Writes records in a given order. Fields with references to missing targets are left out, and deferred.
    private func write(_ records: [CarriedRecord], into batch: inout ImportBatch) async throws(ImportError) {
        var waiting = records
        // Records of custom zones whose names the source has given to records of another type.
        var isReplaced: Set<String> = []
        // At most each of the reasons for another attempt, one after the other.
        for _ in 0..<4 where !waiting.isEmpty {
            var next: [CarriedRecord] = []
            var replaced: [String] = []
            let operations = waiting.map { record -> JSONValue in
                ["operationType": "forceReplace", "record": .object(record.document)]
            }
            let results = options.isDryRun ? [] : try await perform(operations, in: batch.walk.zone)
            for (index, record) in waiting.enumerated() {
                let error = index < results.count ? TargetError(results[index]) : TargetError(JSONObject())
                if error.code == nil {
                    note(record, in: &batch)
                } else if error.code == "VALIDATING_REFERENCE_ERROR", !record.validated.isEmpty {
                    batch.deferred[record.name] = record.deferredFields
                    next.append(record.withoutValidatedFields())
                } else if error.cause == "READ_ONLY_KEY", record.document["created"] != nil {
                    var record = record
                    record.document["created"] = nil
                    record.notes.append(ImportNote(.otherCreation, type: record.type))
                    next.append(record)
                } else if error.code == "EXISTS", batch.walk.type == nil, batch.walk.zone != Self.defaultZone,
                    !isReplaced.contains(record.name)
                {
                    isReplaced.insert(record.name)
                    replaced.append(record.name)
                    next.append(record)
                } else {
                    batch.deferred[record.name] = nil
                    batch.problems[record.name] = ImportProblem(type: record.type, reason: error.reason)
                }
            }
            if !replaced.isEmpty { _ = try await perform(replaced.map(Self.deletion), in: batch.walk.zone) }
            waiting = next
        }
        // A deletion may have taken records along that refer to the deleted one, and that came before it.
        if !isReplaced.isEmpty { restarting.insert(batch.walk) }
        for record in waiting {
            batch.deferred[record.name] = nil
            batch.problems[record.name] = ImportProblem(
                type: record.type, reason: "The server does not accept its references")
        }
    }

    /// Notes a record that was written.
    private func note(_ record: CarriedRecord, in batch: inout ImportBatch) {
        batch.settled.append(record.name)
        if let modified = record.modified { batch.newest = max(modified, batch.newest ?? modified) }
        for note in record.notes { batch.notes[note, default: 0] += 1 }
        if seen.updateValue(record.type, forKey: Self.hash(batch.walk.zone, record.name)) == nil {
            batch.carried[record.type, default: 0] += 1
        }
    }

    static func hash(_ zone: String, _ name: String) -> Int {
        var hasher = Hasher()
        hasher.combine(zone)
        hasher.combine(name)
        return hasher.finalize()
    }

    /// Executes operations. If the server rejects a whole request, finds the operation that is to blame.
    ///
    /// - Returns: The result of each operation, in order.
    func perform(_ operations: [JSONValue], in zone: String) async throws(ImportError) -> [JSONObject] {
        guard operations.count <= target.mostOperations else {
            let (first, rest) = (operations.prefix(target.mostOperations), operations.dropFirst(target.mostOperations))
            return try await perform(Array(first), in: zone) + perform(Array(rest), in: zone)
        }
        do throws(ImportError) {
            return try await target.write(operations, in: zone)
        } catch {
            guard case .rejected(let code, let reason) = error else { throw error }
            guard operations.count > 1 else {
                return [JSONObject([("serverErrorCode", .string(code)), ("reason", .string(reason))])]
            }
            let middle = operations.count / 2
            return try await perform(Array(operations[..<middle]), in: zone)
                + perform(Array(operations[middle...]), in: zone)
        }
    }

    // MARK: Later attempts

    /// Reads the records again that could not be carried over earlier.
    func retryProblems(in zones: [String]) async throws(ImportError) {
        for zone in zones {
            let names = state.problems.keys.filter { $0.zone == zone && !$0.name.isEmpty }.map(\.name).sorted()
            for start in stride(from: 0, to: names.count, by: 100) {
                try clock.checkInterruption()
                let part = Array(names[start..<min(start + 100, names.count)])
                let found: [String: SourceItem]
                do throws(ImportError) {
                    found = try await lookUp(part, in: zone)
                } catch {
                    // A zone that is gone is noticed by its walk.
                    guard case .failed = error, zone != Self.defaultZone else { throw error }
                    break
                }
                var batch = ImportBatch(WalkName(zone: zone, type: nil))
                // Those that the source no longer has are no problem any more.
                batch.settled = part.filter { found[$0]?.isMissing ?? true }
                try await carry(part.compactMap { found[$0] }.filter { !$0.isMissing }, into: &batch)
            }
        }
    }

    /// Executes the writes that have waited for other records.
    func settleDeferred() async throws(ImportError) {
        guard !options.isDryRun else { return }
        for zone in Set(state.deferred.keys.map(\.zone)).sorted() {
            let entries = state.deferred.filter { $0.key.zone == zone }.sorted { $0.key.name < $1.key.name }
            let saves = entries.filter { $0.value != .deletion }
            let deletions = entries.filter { $0.value == .deletion }
            for entries in [saves, deletions] {
                for start in stride(from: 0, to: entries.count, by: 100) {
                    try clock.checkInterruption()
                    progress.activity = "setting references"
                    let part = entries[start..<min(start + 100, entries.count)]
                    try await settle(part.map { ($0.key.name, $0.value) }, in: zone)
                }
            }
        }
    }

    private func settle(_ writes: [(name: String, write: DeferredWrite)], in zone: String) async throws(ImportError) {
        var batch = ImportBatch(WalkName(zone: zone, type: nil))
        var invalid: [(name: String, type: String, record: JSONObject)] = []
        for (write, result) in zip(
            writes, try await perform(writes.map { Self.operation($0.name, $0.write) }, in: zone))
        {
            let error = TargetError(result)
            switch write.write {
            case .fields(let record, let type):
                if error.code == "VALIDATING_REFERENCE_ERROR" {
                    invalid.append((write.name, type, record))
                } else {
                    batch.settled.append(write.name)
                    if error.code != nil {
                        batch.problems[write.name] = ImportProblem(type: type, reason: error.reason)
                    }
                }
            case .deletion:
                // Otherwise the next run tries again.
                if error.code == nil || error.code == "NOT_FOUND" {
                    batch.settled.append(write.name)
                    batch.deleted += 1
                }
            }
        }
        let operations = invalid.map { write -> JSONValue in
            var record = write.record
            record["fields"] = .object(CarriedRecord.unvalidated(record["fields"]?.object ?? JSONObject()))
            return ["operationType": "forceUpdate", "record": .object(record)]
        }
        // The write stays deferred: the target may have been rejected, and come with the next run.
        for (write, result) in zip(invalid, try await perform(operations, in: zone)) {
            let error = TargetError(result)
            if error.code != nil {
                batch.settled.append(write.name)
                batch.problems[write.name] = ImportProblem(type: write.type, reason: error.reason)
            }
            for field in write.record["fields"]?.object?.keys ?? [] {
                batch.notes[ImportNote(.notValidated, type: write.type, subject: field), default: 0] += 1
            }
        }
        try record(.batch(batch))
    }

    private static func operation(_ name: String, _ write: DeferredWrite) -> JSONValue {
        switch write {
        case .fields(let record, _): ["operationType": "forceUpdate", "record": .object(record)]
        case .deletion: deletion(name)
        }
    }
}

/// The error in the result of an operation of this server.
struct TargetError {
    /// `nil` if the operation succeeded.
    let code: String?
    let cause: String?
    let reason: String

    init(_ result: JSONObject) {
        code = result["serverErrorCode"]?.string
        cause = result["details"]?["cause"]?.string
        reason = result["reason"]?.string ?? code ?? ""
    }
}

extension CarriedRecord {
    /// The write of the fields that have a reference with the action VALIDATE, without the other fields.
    fileprivate var deferredFields: DeferredWrite {
        var record = document
        record["created"] = nil
        record["fields"] = .object(validatedFields)
        return .fields(record: record, type: type)
    }
}

extension SourceItem {
    var name: String? {
        switch self {
        case .record(let record): record.name
        case .deleted(let name, _), .unsupported(let name, _, _): name
        case .failed(let name, _, _): name
        }
    }

    /// What identifies this state of the record in a page.
    var key: String {
        switch self {
        case .record(let record): record.name + "\n" + record.tag
        case .deleted(let name, let tag): name + "\n" + tag
        case .unsupported(let name, _, _): name + "\n"
        case .failed(let name, _, _): (name ?? "") + "\n"
        }
    }

    var passes: Int64? {
        if case .failed(_, _, let passes) = self { passes } else { nil }
    }

    /// Whether the source has no such record.
    var isMissing: Bool {
        if case .failed(_, let reason, _) = self { reason.hasPrefix("NOT_FOUND") } else { false }
    }

    /// The bytes of the record in a request, and the bytes of its assets.
    var weight: (bytes: Int, assets: Int64) {
        guard case .record(let record) = self else { return (100, 0) }
        return (record.byteCount + 100, record.assets.reduce(0) { $0 + ($1.size ?? 0) })
    }
}
