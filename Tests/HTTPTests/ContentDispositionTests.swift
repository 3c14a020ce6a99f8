import HTTP
import TestSupport
import Testing

@Suite struct ContentDispositionTests {
    @Test(
        arguments: [
            ("a.jpg", "filename=\"a.jpg\"; filename*=UTF-8''a.jpg"),
            ("a b.jpg", "filename=\"a b.jpg\"; filename*=UTF-8''a%20b.jpg"),
            ("Grüße €.txt", "filename=\"Gr__e _.txt\"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%E2%82%AC.txt"),
            ("a\"b\\c%22.txt", "filename=\"a_b_c_22.txt\"; filename*=UTF-8''a%22b_c%2522.txt"),
            ("../../etc/passwd", "filename=\".._.._etc_passwd\"; filename*=UTF-8''.._.._etc_passwd"),
            ("a\r\nSet-Cookie: x", "filename=\"aSet-Cookie: x\"; filename*=UTF-8''aSet-Cookie%3A%20x"),
            ("invoice\u{202E}fdp.exe", "filename=\"invoicefdp.exe\"; filename*=UTF-8''invoicefdp.exe"),
            ("\0 \t a\u{7F}\u{85}\u{2028}\u{2066}b \u{FEFF}", "filename=\"ab\"; filename*=UTF-8''ab"),
            (".hidden", "filename=\".hidden\"; filename*=UTF-8''.hidden"),
            ("it's*(1).txt", "filename=\"it's*(1).txt\"; filename*=UTF-8''it%27s%2A%281%29.txt"),
            ("a;b=c,d.txt", "filename=\"a;b=c,d.txt\"; filename*=UTF-8''a%3Bb%3Dc%2Cd.txt"),
        ])
    func `a name is written twice and safely`(_ name: String, _ expected: String) {
        #expect(ContentDisposition.inline(filename: name) == "inline; \(expected)")
        #expect(ContentDisposition.attachment(filename: name) == "attachment; \(expected)")
    }

    @Test(arguments: ["", ".", "..", "...", " ", "\r\n", "\u{202E}", " . ", "\0"])
    func `an invalid name is left out`(_ name: String) {
        #expect(ContentDisposition.inline(filename: name) == "inline")
        #expect(ContentDisposition.attachment(filename: name) == "attachment")
        #expect(ContentDisposition.attachment(filename: nil) == "attachment")
    }

    @Test func `a long name is cut between scalars and keeps its extension`() {
        for (text, count) in [
            (String(repeating: "a", count: 255), 255), (String(repeating: "a", count: 256), 255),
            (String(repeating: "é", count: 300), 254), (String(repeating: "😀", count: 300) + ".jpeg", 253),
            (String(repeating: "a", count: 300) + "." + String(repeating: "b", count: 30), 255),
            ("." + String(repeating: "b", count: 300), 255),
        ] {
            let name = ContentDisposition.safeFilename(text) ?? ""
            #expect(name.utf8.count == count)
            #expect(!name.unicodeScalars.contains("\u{FFFD}"))
            if text.hasSuffix(".jpeg") { #expect(name.hasSuffix("😀.jpeg")) }
        }
        #expect(ContentDisposition.safeFilename(" 写真 1.jpg ") == "写真 1.jpg")
        // Found by fuzzing: a blank in the middle became the last one.
        let blank = String(repeating: "a", count: 253) + "   b"
        #expect(ContentDisposition.safeFilename(blank) == String(repeating: "a", count: 253))
    }

    @Test func `any name is written so that it reads back as what is safe of it`() {
        var random = SeededGenerator(seed: 3)
        let scalars: [Unicode.Scalar] = [
            "a", "Z", "0", ".", " ", "\"", "\\", "/", "%", "2", "\r", "\n", "\0", "é", "€", "😀", "\u{202E}", "'", "*",
            ";",
            "\u{7F}", "\u{301}", "_",
        ]
        for _ in 0..<3000 {
            var name = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...20, using: &random) {
                name.append(scalars.randomElement(using: &random) ?? "a")
            }
            let value = ContentDisposition.attachment(filename: String(name))
            #expect(value.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
            let parsed = ContentDisposition(value)
            #expect(parsed?.type == "attachment")
            #expect(parsed?.filename == ContentDisposition.safeFilename(String(name)), "\(value)")
        }
    }

    @Test(
        arguments: [
            (#"form-data; name="a""#, "a", nil), (#"FORM-DATA;NAME=a;filename=b.txt"#, "a", "b.txt"),
            (#"form-data; name="a"; filename="b c.txt""#, "a", "b c.txt"),
            (#" form-data ; name="a" ; filename="" ; "#, "a", ""), ("form-data", nil, nil),
            // RFC 9110, curl.
            (#"form-data; name="a\"b"; filename="c\\d\"e""#, "a\"b", "c\\d\"e"),
            // HTML: %22, %0D, %0A, and nothing else.
            (#"form-data; name="a%22b%0D%0A"; filename="100%25%2f%0a.txt""#, "a\"b\r\n", "100%25%2f%0a.txt"),
            // Browsers do not escape backslashes.
            (#"form-data; name="a"; filename="C:\dir\x.txt""#, "a", "C:\\dir\\x.txt"),
            (#"form-data; name="a"; filename="x\""#, "a", "x\\"),
            (#"form-data; name="a\"; filename="x""#, "a\\", "x"),
            (#"form-data; name="Grüße"; filename="€.txt""#, "Grüße", "€.txt"),
            (#"form-data; filename="EURO.txt"; name=a; filename*=UTF-8''%e2%82%ac.txt"#, "a", "€.txt"),
            (#"form-data; filename*=utf-8'de'%E2%82%AC.txt; filename=x; name=a"#, "a", "€.txt"),
            (#"form-data; name=a; filename*=ISO-8859-1''%FC"#, "a", "ü"),
            (#"form-data; name=a; filename=x; filename*=UTF-8''%FC"#, "a", "x"),
            (#"form-data; name=a; filename=x; filename*=UTF-8''%F"#, "a", "x"),
            (#"form-data; name=a; filename=x; filename*=koi8-r''a"#, "a", "x"),
            (#"form-data; name=a; filename=x; filename*=a"#, "a", "x"),
            (#"form-data; name="a;b=c"; other="x""#, "a;b=c", nil),
        ] as [(String, String?, String?)])
    func `the field of a part is read`(_ text: String, _ name: String?, _ filename: String?) {
        #expect(ContentDisposition(text) == ContentDisposition(type: "form-data", name: name, filename: filename))
    }

    @Test(arguments: [
        "", " ", ";", "form-data; name", "form-data; name=", "form-data; name=a b", "form-data name=a",
        "form-data; name=a; name=b", #"form-data; name="a"#, #"form-data; name="a"b"#, "form-data; =a", "a/b; name=c",
        "form-data; name=a; Filename=x; filename=y", "form-data; name = a", "form-data; name=ä",
    ])
    func `a malformed field is ignored`(_ text: String) {
        #expect(ContentDisposition(text) == nil)
    }
}
