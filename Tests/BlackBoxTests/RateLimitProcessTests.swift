import RecordWire
import Testing

/// The limits over sockets, with settings as operators write them.
@Suite struct RateLimitProcessTests {
    @Test func `without trusted proxies no field of a request makes another client`() throws {
        let server = try ServerProcess(settings: [
            "FOGBASE_LIMITS_RATES": "on", "FOGBASE_LIMITS_RATE_READ": "1/h burst 5",
            "FOGBASE_LIMITS_RATE_AUTH": "1/h burst 3",
        ])
        for turn in 0..<8 {
            // Another connection, another address that the client claims, another user's name.
            let client = try HTTPClient(port: server.port)
            let claims = [
                "X-Forwarded-For": "203.0.113.\(turn)", "Forwarded": "for=203.0.113.\(turn)",
                "X-Real-IP": "1.1.1.\(turn)",
            ]
            let read = try client.send("GET", "/records/Post", fields: claims)
            #expect((read.status == 429) == (turn >= 5), "\(turn): \(read.status)")
            let body = #"{"name":"nobody\#(turn)","password":"wrong horse"}"#
            let sign = try client.send("POST", "/sessions", body, fields: claims)
            #expect(sign.status == (turn >= 3 ? 429 : 401), "\(turn): \(sign.text)")
            if turn >= 3 {
                #expect(sign.json?["serverErrorCode"]?.string == "THROTTLED")
                let wait = try #require(sign.json?["retryAfter"]?.integer)
                #expect((3_500...3_600).contains(wait) && sign.fields["retry-after"] == "\(wait)")
                #expect(sign.fields["ratelimit-policy"] == #""auth";q=3;w=10800"#)
                #expect(sign.fields["ratelimit"]?.hasPrefix(#""auth";r=0;t="#) == true)
            }
            // The connection stays open for requests without a limit.
            #expect(try client.send("GET", "/health/ready").status == 200)
            let token = ServerProcess.administratorToken
            #expect(try client.send("GET", "/users/me", token: token).status == 200)
        }
    }

    @Test func `behind a trusted proxy each client has its own bucket, and cannot choose it`() throws {
        let server = try ServerProcess(settings: [
            "FOGBASE_LIMITS_RATES": "on", "FOGBASE_LIMITS_RATE_READ": "1/h burst 2",
            "FOGBASE_HTTP_TRUSTED_PROXIES": "127.0.0.0/8, 10.0.0.0/8",
        ])
        let client = try HTTPClient(port: server.port)
        func read(_ list: String) throws -> Int {
            try client.send("GET", "/records/Post", fields: ["X-Forwarded-For": list]).status
        }
        for address in ["203.0.113.1", "203.0.113.2", "2001:db8::1"] {
            for turn in 0..<4 {
                // Addresses further left are the client's invention; those further right are more proxies.
                #expect((try read("1.2.3.\(turn), \(address), 10.0.0.\(turn)") == 429) == (turn >= 2))
            }
        }
        #expect(try read("2001:db8::ffff") == 429)
        // Lists that cannot be parsed are the proxy's own.
        #expect([try read("unknown"), try read("x, y"), try read("")].last == 429)
    }

    @Test func `a batch is counted by its operations before it runs`() throws {
        let server = try ServerProcess(settings: [
            "FOGBASE_LIMITS_RATES": "on", "FOGBASE_LIMITS_RATE_WRITE": "1/h burst 12",
            "FOGBASE_LIMITS_BATCH_OPERATIONS": "10",
        ])
        let client = try HTTPClient(port: server.port)
        let admin = ServerProcess.administratorToken
        let schema = #"{"types":{"Post":{"fields":{"n":{"type":"INT64"}},"grants":{"_world":["CREATE","READ"]}}}}"#
        let made = try client.send("PUT", "/schema", schema, token: admin)
        try #require(made.status == 200, "\(made.text)")
        func batch(_ names: Range<Int>) throws -> HTTPClient.Response {
            let operations = names.map {
                #"{"operationType":"create","record":{"recordType":"Post","recordName":"b\#($0)","fields":{"n":1}}}"#
            }
            return try client.send("POST", "/records", #"{"operations":[\#(operations.joined(separator: ","))]}"#)
        }
        let first = try batch(0..<10)
        #expect(first.status == 200 && first.fields["ratelimit"]?.hasPrefix(#""write";r=2;"#) == true, "\(first.text)")
        #expect(try batch(10..<13).status == 429)
        #expect(try client.send("GET", "/records/Post/b10").status == 404)
        // It was read, so it was counted as a request.
        #expect(try batch(10..<11).status == 200)
        #expect(try client.send("POST", "/records/Post", #"{"fields":{"n":1}}"#).status == 429)
    }

    @Test func `a host that is not on the list is answered 421`() throws {
        let server = try ServerProcess(settings: ["FOGBASE_HTTP_HOSTS": "localhost, db.example.org"])
        let client = try HTTPClient(port: server.port)
        #expect(try client.send("GET", "/limits").status == 200)
        let other = try HTTPClient(port: server.port, host: "evil.example:\(server.port)")
        for target in ["/limits", "/_/", "/", "/records/Post"] {
            let response = try other.send("GET", target)
            #expect(
                response.status == 421 && response.json?["serverErrorCode"]?.string == "BAD_REQUEST", "\(response.text)"
            )
        }
        #expect(try other.send("GET", "/health/live").status == 200)
    }
}
