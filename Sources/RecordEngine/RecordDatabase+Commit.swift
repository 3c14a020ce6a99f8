internal import RecordModel
internal import RecordStorage
internal import Synchronization
internal import Threads

extension RecordDatabase {
    /// Runs the writes of a group in one transaction, each in a savepoint, and answers them when it is durable.
    ///
    /// - Parameter effort: What was done before to find room for them.
    func commit(_ group: [PendingWrite], _ effort: RoomEffort = .none) {
        defer { takeBackRoom() }
        guard let transaction, !hasFailed.load(ordering: .relaxed) else {
            for write in group { write.finish(.databaseUnavailable) }
            return
        }
        let started = MonotonicClock.now
        let schemaBefore = transaction.schema
        transaction.rightsChanged = false
        transaction.publishedRights = clock.rightsVersion
        transaction.groupSize = group.count
        do {
            try transaction.beginGroup()
        } catch {
            let failure = transaction.storeFailure
            noteFailure()
            transaction.rollbackGroup()
            for write in group { reject(write, error, failure, after: effort) }
            return
        }
        // Writes that the store had no room for, to be tried again.
        var starved: [(write: PendingWrite, error: RecordError, failure: StoreFailure)] = []
        var failures: [RecordError?] = []
        failures.reserveCapacity(group.count)
        for (position, write) in group.enumerated() {
            do {
                try transaction.request(startsLazily: write.startsLazily) { () throws(RecordError) in
                    try write.run(transaction)
                }
                failures.append(nil)
            } catch {
                failures.append(error)
                let failure = transaction.storeFailure
                if failure != nil { noteFailure() }
                if !transaction.isAlive {
                    // SQLite rolled the whole group back: the innocent run again, each on its own.
                    transaction.schema = schemaBefore
                    reject(write, error, failure, after: effort)
                    runSingly(group[..<position])
                    runSingly(group[(position + 1)...])
                    return
                }
                if let failure, failure.isStorageFull { starved.append((write, error, failure)) }
            }
            if position + 1 < group.count, MonotonicClock.now &- started > Self.groupNanoseconds {
                queue.withLock { $0.putBack(group[(position + 1)...]) }
                break
            }
        }
        let ran = group.prefix(failures.count)
        guard failures.contains(where: { $0 == nil }) else {
            transaction.rollbackGroup()
            transaction.schema = schemaBefore
            finish(ran, failures, starved, after: effort)
            return
        }
        let ready = MonotonicClock.now
        do {
            try transaction.commitGroup()
            transaction.lastSync = MonotonicClock.now &- ready
        } catch {
            let failure = transaction.storeFailure
            noteFailure()
            transaction.rollbackGroup()
            transaction.schema = schemaBefore
            if failure?.kind == .syncFailed || !forgetFailedCommit(transaction) {
                failForGood()
                for write in ran { write.finish(.databaseUnavailable) }
            } else if ran.count > 1, failure?.isStorageFull != true {
                runSingly(ran)
            } else {
                for write in ran { reject(write, error, failure, after: effort) }
            }
            return
        }
        if transaction.rightsChanged {
            // A version per change: what was resolved against an older schema is resolved again.
            transaction.schema.version += 1
            // The next number of the clock is this commit's: nobody else publishes.
            let published = PublishedSchema(schema: transaction.schema, commit: clock.commits + 1)
            publishedSchema.withLock { $0 = published }
        }
        clock.publish(rightsChanged: transaction.rightsChanged, through: transaction.lastSequence)
        statistics.didCommit(
            writes: ran.count, operations: ran.reduce(0) { $0 + $1.operations },
            nanoseconds: MonotonicClock.now &- started)
        finish(ran, failures, starved, after: effort)
    }

    /// Answers the writes of a group, and tries those again that the store had no room for.
    private func finish(
        _ writes: ArraySlice<PendingWrite>, _ failures: [RecordError?],
        _ starved: [(write: PendingWrite, error: RecordError, failure: StoreFailure)], after effort: RoomEffort
    ) {
        for (write, failure) in zip(writes, failures) where starved.allSatisfy({ $0.write !== write }) {
            write.finish(failure)
        }
        for (write, error, failure) in starved { reject(write, error, failure, after: effort) }
    }

    /// Makes sure that nothing of a group is left whose commit has failed: only then may it be told that it was refused.
    ///
    /// - Returns: Whether that is certain.
    private func forgetFailedCommit(_ transaction: WriteTransaction) -> Bool {
        do {
            try transaction.overwriteFailedCommit()
            return true
        } catch {
            noteFailure()
            // Without room for the log's index the pages were overwritten all the same. Without room for the first page of
            // them, that of the failed commit had none either.
            return transaction.storeFailure?.isStorageFull ?? false
        }
    }

    private func runSingly(_ writes: ArraySlice<PendingWrite>) {
        for write in writes { commit([write]) }
    }
}
