internal import RecordWire

extension Aggregate {
    /// Fetches the groups of the records in a database that match a query. The query's sort, limit and fields do not
    /// apply; the aggregate has its own sort and limit.
    ///
    /// - Throws: `FogbaseError.badRequest` if the query or the aggregate is invalid, or has too many groups;
    ///   `invalidArgument` if a query cannot use one of its values or properties.
    public func groups(of query: Query<Model> = Query(), in database: Database) async throws -> Groups<Model> {
        guard case .object(let whole) = try query.body() else { return Groups() }
        var body = JSONObject()
        for key in ["recordType", "where", "args"] { body[key] = whole[key] }
        body["aggregate"] = self.body
        query.report?("Query: \(query), in groups")
        var call = Call("POST", "query")
        call.setJSON(.object(body))
        let response = try await database.connection.send(call).readTree()
        var groups = Groups<Model>()
        groups.items = response["groups"]?.array?.map { Group<Model>($0) } ?? []
        groups.hasMore = response["moreGroups"] == true
        query.report?("\(groups.items.count) groups\(groups.hasMore ? ", and more" : "")")
        return groups
    }
}
