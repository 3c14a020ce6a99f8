internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire
internal import Synchronization
internal import Threads

/// The routes for operators and their monitoring tools.
enum OperationRoutes {
    static let routes: [Route] = [
        Route(
            "GET /health/live", "live", .operation, "Shows that the process responds", rate: nil, options: .serverWide,
            responses: [.json(200, "Status", "The process responds")],
            respondedBy: .open { _, _ in healthy }
        ),
        Route(
            "GET /health/ready", "ready", .operation, "Tells whether the databases take writes, and why not",
            rate: nil, options: .serverWide,
            responses: [.json(200, "Status", "It takes writes"), .error(503, "It does not, and why")],
            respondedBy: .open { _, api in try await ready(api) }
        ),
        Route(
            "GET /metrics", "metrics", .operation, "Figures in the text format of Prometheus", rate: .read,
            right: .readMetrics, options: .serverWide, responses: [.text(200, "Figures")],
            respondedBy: .openIf(isMetricsOpen, { _, api in metrics(api) }, else: { call in metrics(call.api) })
        ),
        Route(
            "GET /limits", "limits", .operation, "The limits of this server", rate: .read, options: .serverWide,
            responses: [.json(200, "Limits", "Limits by name")],
            respondedBy: .open { _, api in .json(api.limitsDocument) }
        ),
        Route(
            "GET /openapi.json", "openAPI", .operation, "This description", rate: .read, options: .serverWide,
            responses: [.json(200, "Document", "An OpenAPI 3.1 document")],
            respondedBy: .open { _, api in HTTPResponse(.ok, fields: .json, body: api.description.value) }
        ),
    ]

    private static var healthy: HTTPResponse { HTTPResponse(.ok, fields: .json, body: .bytes(healthyBody)) }
    private static let healthyBody = Array(#"{"status":"ok"}"#.utf8)

    /// `GET /health/ready`: returns 200 while the default database is open and all open databases accept writes.
    ///
    /// - Throws: `APIError` with status 503 and the reason.
    static func ready(_ api: RecordAPI) async throws -> HTTPResponse {
        do { _ = try await api.registry.database(api.configuration.defaultDatabase) } catch {
            throw APIError.databaseClosed
        }
        if let blocker = await api.registry.writeBlocker() {
            throw APIError(status: .serviceUnavailable, error: blocker)
        }
        return healthy
    }

    /// Returns the response body of `/limits`, which is created once.
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
            ("rememberedAnswerBytes", Int64(Limits.storedResponseBytes)),
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
            ("expandPaths", Int64(Limits.expandPaths)),
            ("expandedRecords", Int64(Limits.expandedRecords)),
            ("expandedBackwardRecords", Int64(Limits.mostBackwardRecords)),
            ("indexedMembers", Int64(Limits.indexedMembers)),
            ("memberEntries", Int64(Limits.memberEntries)),
            ("indexesPerType", Int64(IndexDefinition.maxPerType)),
            ("columnsPerIndex", Int64(IndexDefinition.maxColumns)),
            ("subscriptions", Int64(Subscriptions.most)),
            ("subscriptionBytes", Int64(SubscriptionDefinition.maxBytes)),
            ("notificationTokens", Int64(NotificationTokens.most)),
            ("notificationTokenSeconds", NotificationTokens.lifetime / 1_000),
            ("notificationWaitSeconds", Int64(SubscriptionRoutes.longestWait)),
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

    /// `GET /metrics`: returns the metrics in the Prometheus text format.
    static func metrics(_ api: RecordAPI) -> HTTPResponse {
        var fields = HTTPFields()
        fields.append(.contentType, literal: MetricsText.contentType)
        fields.append(.xContentTypeOptions, literal: "nosniff")
        return HTTPResponse(.ok, fields: fields, body: .bytes(metricsText(api)))
    }

    /// Returns the metrics in the Prometheus text format.
    static func metricsText(_ api: RecordAPI) -> [UInt8] {
        var text = MetricsText()
        text.gauge(
            "fogbase_info", help: "The version that runs.", labels: [("version", api.configuration.version)], 1)
        text.counter(
            "fogbase_http_index_waits_total", help: "Responses with status 503 that ask to wait for an index build.",
            UInt64(api.indexWaits.load(ordering: .relaxed)))
        writeDatabases(of: api.registry, into: &text)
        writeBackups(of: api.registry, into: &text)
        ProcessMetrics().writeMetrics(into: &text)
        for source in api.configuration.metricsSources { source.writeMetrics(into: &text) }
        return text.text
    }

    /// Whether the peer may read the metrics without a credential.
    static func isMetricsOpen(_ request: HTTPRequest, _ api: RecordAPI) -> Bool {
        switch api.configuration.metricsAccess {
        case .administrators: return false
        case .everyone: return true
        case .loopback:
            // A proxy on this machine is also a loopback peer, but its clients can be anywhere.
            guard !proxyFields.contains(where: request.fields.contains) else { return false }
            let peer = request.remoteAddress
            return peer == "::1" || peer.hasPrefix("127.") || peer.hasPrefix("::ffff:127.")
        }
    }

    /// The header fields that proxies add to requests.
    private static let proxyFields =
        [HTTPFieldName.xForwardedFor, .forwarded, .via, .xForwardedHost, .xForwardedProto]
        + [HTTPFieldName("X-Real-IP")].compactMap { $0 }

    /// Writes nothing before a backup was found complete, so that a rule can tell this from an old backup.
    private static func writeBackups(of registry: DatabaseRegistry, into text: inout MetricsText) {
        let backups = registry.configuration.administrators?.backups ?? []
        guard let complete = backups.first(where: { $0.test?.problems == 0 }) else { return }
        text.gauge(
            "fogbase_backup_complete_timestamp_seconds",
            help: "The start time of the newest backup that passed its test, in seconds since 1970-01-01 UTC.",
            Double(complete.created) / 1_000)
    }

    private static func writeDatabases(of registry: DatabaseRegistry, into text: inout MetricsText) {
        let databases = registry.openDatabases.sorted {
            ($0.id.container.text, $0.id.environment.rawValue) < ($1.id.container.text, $1.id.environment.rawValue)
        }
        DatabaseMetrics.write(databases.map(DatabaseMetrics.init), into: &text)
    }

    static let schemas: StaticString = #"""
        "Status":{"type":"object","properties":{"status":{"const":"ok"}},"required":["status"]},
        "Document":{"type":"object"},
        "Limits":{"type":"object","additionalProperties":{"type":"integer"},"properties":{"rates":{"type":"object",
        "additionalProperties":{"type":"object","additionalProperties":{"type":"integer"}}}}},
        "Error":{"type":"object","required":["uuid","serverErrorCode","reason"],"properties":{
        "uuid":{"type":"string"},"serverErrorCode":{"$ref":"#/components/schemas/Code"},
        "reason":{"type":"string"},"details":{"type":"object","properties":{"cause":{"type":"string"}}},
        "retryAfter":{"type":"integer","description":"Seconds"},
        "serverRecord":{"$ref":"#/components/schemas/Record"}}},
        "Code":{"type":"string","enum":["ACCESS_DENIED","ATOMIC_ERROR","AUTHENTICATION_FAILED",
        "AUTHENTICATION_REQUIRED","BAD_REQUEST","CONFLICT","EXISTS","INTERNAL_ERROR","NOT_FOUND","QUOTA_EXCEEDED",
        "THROTTLED","TRY_AGAIN_LATER","VALIDATING_REFERENCE_ERROR","ZONE_NOT_FOUND"]}
        """#
}
