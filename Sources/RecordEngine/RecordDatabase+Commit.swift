internal import RecordModel
internal import RecordStorage
internal import Synchronization
internal import Threads

extension RecordDatabase {
    /// Commits the writes of a group, then runs the work submitted with `betweenGroups`.
    func serve(_ group: [PendingWrite]) {
        transaction?.groupSize = group.count
        let hasWorkBetween = group.contains(where: \.isBetweenGroups)
        let writes = hasWorkBetween ? group.filter { !$0.isBetweenGroups } : group
        let count = writes.isEmpty ? 0 : commit(writes)
        var done = group[...]
        if count < writes.count, let end = group.firstIndex(where: { $0 === writes[count] }) {
            done = group[..<end]
            queue.withLock { $0.putBack(group[end...]) }
        }
        if hasWorkBetween { for work in done where work.isBetweenGroups { work.finish(nil) } }
    }

    /// Runs the writes of a group in one transaction, each in a savepoint. When the transaction is durable, finishes
    /// the writes.
    ///
    /// - Parameter effort: The attempts so far to free disk space for the writes.
    /// - Returns: The number of finished writes. The time limit of a group has passed for the remaining writes, so the
    ///   caller must put them back in the queue.
    @discardableResult
    private func commit(_ group: [PendingWrite], _ effort: SpaceRecovery = .none) -> Int {
        guard let transaction, !status.hasFailedPermanently else {
            for write in group { write.finish(.databaseUnavailable) }
            return group.count
        }
        let store = transaction.store
        defer { store.upkeep.takeBackReserve() }
        let started = MonotonicClock.now
        let schemaBefore = transaction.schema
        do throws(RecordError) {
            try transaction.beginGroup()
        } catch {
            store.noteFailure()
            let failure = store.failure
            store.rollback()
            for write in group { reject(write, error, failure, after: effort) }
            return group.count
        }
        var outcomes: [Outcome] = []
        outcomes.reserveCapacity(group.count)
        var left: [HierarchyWork] = []
        var before = started
        for (position, write) in group.enumerated() {
            do throws(RecordError) {
                try transaction.request(startsLazily: write.startsLazily) { () throws(RecordError) in
                    try write.run(transaction)
                }
                outcomes.append(.done)
                if !transaction.leftBelow.isEmpty {
                    let work = HierarchyWork(below: transaction.leftBelow, for: write.callerAccount)
                    write.left = work
                    left.append(work)
                }
            } catch {
                let failure = store.failure
                if failure != nil { store.noteFailure() }
                if !store.isInTransaction {
                    // The store rolled back the whole group. Run the other writes again, each in its own transaction.
                    transaction.schema = schemaBefore
                    reject(write, error, failure, after: effort)
                    runSingly(group[..<position])
                    runSingly(group[(position + 1)...])
                    return group.count
                }
                outcomes.append(.failed(error, failure))
            }
            let now = MonotonicClock.now
            let isFollowed = transaction.followed >= WriteQueue.heavyRecords
            if write.mayTakeLong { write.nanoseconds = now &- before }
            if isFollowed || write.nanoseconds > WriteQueue.heavyNanoseconds {
                queue.withLock { $0.didRunHeavy(write) }
            }
            before = now
            if position + 1 < group.count, now &- started > Self.groupNanoseconds { break }
        }
        let ran = group.prefix(outcomes.count)
        guard outcomes.contains(where: \.isDone) else {
            store.rollback()
            transaction.schema = schemaBefore
            finish(ran, outcomes, after: effort)
            return ran.count
        }
        do throws(CommitFailure) {
            try transaction.commitGroup()
        } catch {
            transaction.schema = schemaBefore
            switch error {
            case .unknown:
                for write in ran { write.finish(.databaseUnavailable) }
            case .rejected(_, let failure) where ran.count > 1 && failure?.isStorageFull != true:
                runSingly(ran)
            case .rejected(let error, let failure):
                for write in ran { reject(write, error, failure, after: effort) }
            }
            return ran.count
        }
        publish(transaction)
        for work in left { slices.begin(work, in: self) }
        statistics.didCommit(
            writes: ran.count, operations: ran.reduce(0) { $0 + $1.operations },
            nanoseconds: MonotonicClock.now &- started)
        finish(ran, outcomes, after: effort)
        return ran.count
    }

    /// The result of a write in a group that is not committed yet.
    private enum Outcome {
        case done
        case failed(RecordError, StoreFailure?)

        var isDone: Bool { if case .done = self { true } else { false } }
    }

    /// Publishes a commit to readers. The schema is published first, so that a reader that sees the commit can
    /// interpret its records.
    private func publish(_ transaction: WriteTransaction) {
        if transaction.rightsChanged {
            // Each change gets a new version, so that requests prepared with an older schema are prepared again.
            transaction.schema.version += 1
            // This commit gets the next number of the clock, since only this function publishes commits.
            let published = PublishedSchema(schema: transaction.schema, commit: clock.commits + 1)
            publishedSchema.withLock { $0 = published }
        }
        clock.publish(
            rightsChanged: transaction.rightsChanged, through: transaction.lastSequence, epoch: transaction.store.epoch)
        if !transaction.changedTopics.isEmpty { commitBroadcast.publish(transaction.changedTopics) }
    }

    /// Finishes the writes of a group, then retries the writes that failed because of missing disk space.
    private func finish(_ writes: ArraySlice<PendingWrite>, _ outcomes: [Outcome], after effort: SpaceRecovery) {
        for (write, outcome) in zip(writes, outcomes) {
            switch outcome {
            case .done: write.finish(nil)
            case .failed(_, let failure?) where failure.isStorageFull: continue
            case .failed(let error, _): write.finish(error)
            }
        }
        for case (let write, .failed(let error, let failure?)) in zip(writes, outcomes) where failure.isStorageFull {
            reject(write, error, failure, after: effort)
        }
    }

    /// Finishes a failed write with its error. If disk space was missing and some was freed, runs the write again
    /// instead.
    ///
    /// - Parameter effort: The attempts before this run.
    private func reject(
        _ write: PendingWrite, _ error: RecordError, _ failure: StoreFailure?, after effort: SpaceRecovery
    ) {
        guard let failure, let upkeep = transaction?.store.upkeep else { return write.finish(error) }
        if failure.isStorageFull, let made = upkeep.makeRoom(after: effort, frees: write.frees) {
            commit([write], made)
            return
        }
        upkeep.didReject(failure)
        write.finish(error)
    }

    private func runSingly(_ writes: ArraySlice<PendingWrite>) {
        for write in writes { commit([write]) }
    }
}
