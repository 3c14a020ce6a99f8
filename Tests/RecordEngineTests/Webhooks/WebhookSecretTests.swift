import Testing

@testable import RecordEngine

@Suite struct WebhookSecretTests {
    /// The vectors of the Standard Webhooks specification and of its reference libraries.
    @Test(arguments: [
        (
            "whsec_plJ3nmyCDGBKInavdOK15jsl", "msg_loFOjxBNrRLzqYUf", Int64(1_731_705_121),
            #"{"event_type":"ping","data":{"success":true}}"#, "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0="
        ),
        (
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330,
            #"{"test": 2432232314}"#, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        ),
    ])
    func `a signature is that of the specification`(
        secret: String, id: String, seconds: Int64, body: String, signature: String
    ) throws {
        let secret = try #require(WebhookSecret(secret))
        #expect(secret.signature(id: id, seconds: seconds, body: Array(body.utf8)) == signature)
    }

    @Test func `each webhook and each number has its own secret, the same at every time`() throws {
        let test = try TestDatabase()
        let texts = [("a", Int64(1)), ("a", 2), ("b", 1), ("a 1", 1)].map {
            WebhookSecret(test.database.keys, webhook: $0.0, number: $0.1).text
        }
        #expect(Set(texts).count == 4)
        #expect(texts[0] == WebhookSecret(test.database.keys, webhook: "a", number: 1).text)
        for text in texts {
            // The specification asks for 24 to 64 bytes.
            #expect(WebhookSecret(text)?.text == text && text.count == "whsec_".count + 44)
        }
    }

    @Test func `pauses grow from seconds to an hour`() {
        for (failures, longest) in [
            (Int64(1), Int64(5_000)), (2, 10_000), (5, 80_000), (11, 3_600_000), (500, 3_600_000),
        ] {
            for _ in 0..<50 {
                let pause = WebhookDispatcher.pause(after: failures)
                #expect((longest / 2...longest).contains(pause), "\(failures)")
            }
        }
    }
}
