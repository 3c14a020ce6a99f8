internal import RecordWire

/// Transfers of assets: from the source to a file on this machine, and from there to this server.
extension Importer {
    /// A place in one of the records, and the number of its transfer.
    private struct Job {
        let record: Int
        let place: AssetPlace
    }

    /// How often a record is read again for fresh URLs.
    private static let mostRefreshes = 3

    /// Transfers the assets of records, and puts them into the fields.
    ///
    /// The URLs of assets expire. If one does not work, its record is read again, which may have changed by then.
    ///
    /// - Returns: Why records cannot be carried over, by their names.
    func transferAssets(
        of records: inout [CarriedRecord], in zone: String
    ) async throws(ImportError) -> [String: ImportProblem] {
        var failures: [String: ImportProblem] = [:]
        var waiting = records.indices.filter { !records[$0].assets.isEmpty }
        for refresh in 0...Self.mostRefreshes where !waiting.isEmpty {
            if refresh > 0 { try await readAgain(&waiting, of: &records, in: zone) }
            var stale: [Int: String] = [:]
            let jobs = waiting.flatMap { index in records[index].assets.map { Job(record: index, place: $0) } }
            for start in stride(from: 0, to: jobs.count, by: options.downloads) {
                try clock.checkInterruption()
                let part = Array(jobs[start..<min(start + options.downloads, jobs.count)])
                for (job, outcome) in zip(part, await download(part.map(\.place))) {
                    let record = records[job.record]
                    let isWanted = stale[job.record] == nil && failures[record.name] == nil
                    switch outcome {
                    case .interrupted: throw .interrupted
                    case .unreachable(let reason):
                        throw .failed([
                            "A file of \(record.type) \(record.name) could not be downloaded: \(reason).",
                            "Run the same command again later. It continues where it has stopped.",
                        ])
                    case .rejected(let reason):
                        stale[job.record] = "The file of '\(job.place.field)' could not be downloaded: \(reason)"
                    case .file(let file):
                        defer { source.transport.discard(file) }
                        if let reason = job.place.difference(from: file) {
                            stale[job.record] = "The file of '\(job.place.field)' is damaged: \(reason)"
                        } else if isWanted {
                            let uploaded = try await upload(file)
                            switch uploaded {
                            case .success(let value): records[job.record].put(value, at: job.place)
                            case .failure(let error):
                                failures[record.name] = ImportProblem(
                                    type: record.type,
                                    reason: "The file of '\(job.place.field)' was rejected here: \(error.reason)")
                            }
                        }
                    }
                }
            }
            waiting = stale.keys.sorted().filter { failures[records[$0].name] == nil }
            if refresh == Self.mostRefreshes {
                for index in waiting {
                    failures[records[index].name] = ImportProblem(
                        type: records[index].type, reason: stale[index] ?? "")
                }
            }
        }
        // Records that the source has deleted in the meantime. Their deletion comes with a later page.
        records.removeAll { $0.isGone }
        return failures
    }

    /// Reads records again, whose URLs are then fresh.
    private func readAgain(
        _ waiting: inout [Int], of records: inout [CarriedRecord], in zone: String
    ) async throws(ImportError) {
        let found = try await lookUp(waiting.map { records[$0].name }, in: zone)
        for index in waiting {
            if case .record(let record)? = found[records[index].name] {
                records[index] = record
            } else {
                records[index].isGone = true
            }
        }
        waiting.removeAll { records[$0].isGone }
    }

    /// The reason why an upload failed.
    private struct UploadProblem: Error { let reason: String }

    private func upload(_ file: StagedFile) async throws(ImportError) -> Result<JSONValue, UploadProblem> {
        do throws(ImportError) {
            let value = try await target.upload(file)
            progress.assets += 1
            progress.bytes += file.size
            return .success(value)
        } catch {
            guard case .rejected(_, let reason) = error else { throw error }
            return .failure(UploadProblem(reason: reason))
        }
    }

    // MARK: Downloads

    private enum DownloadOutcome: Sendable {
        case file(StagedFile)
        /// The URL does not work, such as one that has expired.
        case rejected(String)
        case unreachable(String)
        case interrupted
    }

    /// Downloads files at the same time. Returns their outcomes in order.
    private func download(_ places: [AssetPlace]) async -> [DownloadOutcome] {
        let (transport, clock) = (source.transport, clock)
        return await withTaskGroup(of: (Int, DownloadOutcome).self) { group in
            for (index, place) in places.enumerated() {
                group.addTask {
                    (index, await Self.download(place, as: "asset-\(index)", transport, clock))
                }
            }
            var outcomes = [DownloadOutcome](repeating: .interrupted, count: places.count)
            for await (index, outcome) in group { outcomes[index] = outcome }
            return outcomes
        }
    }

    private static func download(
        _ place: AssetPlace, as name: String, _ transport: any SourceTransport, _ clock: any ImportClock
    ) async -> DownloadOutcome {
        guard !place.url.isEmpty else { return .rejected("the source sent no URL") }
        var attempts = RetrySchedule()
        while true {
            let problem: (reason: String, delay: Int64?)
            do throws(TransportFailure) {
                switch try await transport.download(place.downloadURL, as: name, upTo: place.size) {
                case .file(let file): return .file(file)
                case .status(let status, let delay):
                    guard status == 408 || status == 429 || status >= 500 else { return .rejected("status \(status)") }
                    problem = ("status \(status)", delay.map { $0 * 1_000 })
                }
            } catch {
                switch error {
                case .interrupted: return .interrupted
                case .tooLarge: return .rejected("it has more bytes than the source says")
                case .failed(let reason): problem = (reason, nil)
                }
            }
            guard let delay = attempts.next(after: problem.delay) else { return .unreachable(problem.reason) }
            do throws(ImportError) { try await clock.wait(milliseconds: delay) } catch { return .interrupted }
        }
    }
}

extension AssetPlace {
    /// The URL with a file name where CloudKit's URLs have a place for one.
    fileprivate var downloadURL: String {
        url.replacing("${f}", with: "file").replacing("$%7Bf%7D", with: "file")
    }

    /// Returns how a file differs from what the source says about it; `nil` if it does not.
    ///
    /// The checksums of CloudKit cannot be computed. Those of Fogbase are SHA-256, which has 44 characters in base64.
    func difference(from file: StagedFile) -> String? {
        if let size, size != file.size { return "it has \(file.size) bytes instead of \(size)" }
        if checksum.utf8.count == 44, checksum != file.digest { return "its checksum is another one" }
        return nil
    }
}
