internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// What operators and their tools ask.
extension RecordAPI {
    /// `GET /health/ready`: 200 while the default database is open and all open ones take writes, else 503 with the reason.
    func ready() async throws -> HTTPResponse {
        do { _ = try await registry.database(configuration.defaultDatabase) } catch {
            throw APIError.databaseClosed
        }
        if let obstacle = await registry.writeObstacle() {
            throw APIError(status: .serviceUnavailable, error: obstacle)
        }
        return HTTPResponse(.ok, fields: .json, body: .bytes(Self.healthy))
    }

    /// `GET /limits`, made once.
    static func limitsDocument(_ limits: DatabaseLimits, _ rates: RateLimits?) -> [UInt8] {
        let numbers: [(String, Int64)] = [
            ("recordBytes", Int64(limits.recordBytes)),
            ("batchOperations", Int64(limits.batchOperations)),
            ("assetBytes", Int64(limits.assetBytes)),
            ("unreferencedAssetBytes", Int64(limits.unreferencedAssetBytes)),
            ("unreferencedAssetSeconds", limits.unreferencedAssetSeconds),
            ("assetURLSeconds", limits.assetURLSeconds),
            ("pageSize", Int64(limits.pageSize)),
            ("defaultPageSize", Int64(limits.defaultPageSize)),
            ("pageBytes", Int64(limits.pageBytes)),
            ("bodyBytes", Int64(limits.bodyBytes)),
            ("cascadeRecords", Int64(limits.cascadeRecords)),
            ("setRecords", Int64(limits.setRecords)),
            ("queryMilliseconds", Int64(limits.queryMilliseconds)),
            ("tombstoneSeconds", limits.tombstoneSeconds),
            ("tombstones", Int64(limits.tombstones)),
            ("idempotencySeconds", limits.idempotencySeconds),
            ("idempotencyBytes", Int64(limits.idempotencyBytes)),
            ("rememberedAnswerBytes", Int64(Limits.rememberedAnswerBytes)),
            ("recordNameBytes", Int64(Limits.recordNameBytes)),
            ("identifierBytes", Int64(Limits.identifierBytes)),
            ("fieldsPerType", Int64(Limits.fieldsPerType)),
            ("recordTypes", Int64(Limits.recordTypes)),
            ("listMembers", Int64(Limits.listMembers)),
            ("queryTextBytes", Int64(Limits.conditionBytes)),
            ("queryConditions", Int64(Limits.conditions)),
            ("queryListMembers", Int64(Limits.conditionListMembers)),
            ("queryArguments", Int64(Limits.queryArguments)),
            ("sortTerms", Int64(Limits.sortTerms)),
            ("indexedMembers", Int64(Limits.indexedMembers)),
            ("memberEntries", Int64(Limits.memberEntries)),
            ("indexesPerType", Int64(IndexDefinition.maxPerType)),
            ("columnsPerIndex", Int64(IndexDefinition.maxColumns)),
        ]
        let rates = rates.map { rates in
            RateClass.allCases.compactMap { rateClass in
                rates[rateClass].map { (rateClass.rawValue, document(of: $0)) }
            }
        }
        return JSONValue.object(
            JSONObject(numbers.map { ($0, .integer($1)) } + [("rates", .object(JSONObject(rates ?? [])))])
        ).bytes
    }

    private static func document(of rate: RateLimit) -> JSONValue {
        [
            "count": .integer(Int64(rate.count)), "seconds": .integer(Int64(rate.period.seconds)),
            "burst": .integer(Int64(rate.burst)),
        ]
    }

    /// `GET /metrics`, in the text format of Prometheus.
    func metrics() -> HTTPResponse {
        var text = MetricsText()
        text.gauge(
            "fogbase_info", help: "The version that runs.", labels: [("version", configuration.version)], 1)
        writeDatabases(into: &text)
        ProcessMetrics().writeMetrics(into: &text)
        for source in configuration.metricsSources { source.writeMetrics(into: &text) }
        var fields = HTTPFields()
        fields.append(.contentType, literal: MetricsText.contentType)
        fields.append(.xContentTypeOptions, literal: "nosniff")
        return HTTPResponse(.ok, fields: fields, body: .bytes(text.text))
    }

    /// Whether the peer needs no credential to read the figures.
    func isMetricsOpen(to request: HTTPRequest) -> Bool {
        switch configuration.metricsAccess {
        case .administrators: return false
        case .everyone: return true
        case .loopback:
            // A proxy on this machine is a loopback peer too, and speaks for the whole world.
            guard !Self.passedOn.contains(where: request.fields.contains) else { return false }
            let peer = request.remoteAddress
            return peer == "::1" || peer.hasPrefix("127.") || peer.hasPrefix("::ffff:127.")
        }
    }

    /// Fields that proxies add to what they pass on.
    private static let passedOn =
        [HTTPFieldName.xForwardedFor, .forwarded, .via, .xForwardedHost, .xForwardedProto]
        + [HTTPFieldName("X-Real-IP")].compactMap { $0 }

    private func writeDatabases(into text: inout MetricsText) {
        let databases = registry.openDatabases.sorted {
            ($0.id.container.text, $0.id.environment.rawValue) < ($1.id.container.text, $1.id.environment.rawValue)
        }
        DatabaseMetrics.write(databases.map(DatabaseMetrics.init), into: &text)
    }
}
