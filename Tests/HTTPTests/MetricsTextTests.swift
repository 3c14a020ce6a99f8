import HTTP
import Testing

@Suite struct MetricsTextTests {
    @Test func `label values and help are escaped`() {
        var metrics = MetricsText()
        metrics.counter("a_total", help: "Of \\ and\nmore \"x\"", labels: [("l", "a\\b\"c\nd"), ("m", "")], 5)
        #expect(
            String(decoding: metrics.text, as: UTF8.self) == #"""
                # HELP a_total Of \\ and\nmore "x"
                # TYPE a_total counter
                a_total{l="a\\b\"c\nd",m=""} 5

                """#)
    }

    @Test func `a family is introduced once, and buckets are summed up`() {
        var metrics = MetricsText()
        metrics.gauge("g", help: "G", labels: [("x", "1")], 1.5)
        metrics.gauge("g", help: "G", labels: [("x", "2")], -.infinity)
        metrics.gauge("h", help: "H", .nan)
        metrics.histogram(
            "t_seconds", help: "T", labels: [("r", "GET /")], bounds: [0.1, 1], counts: [2, 3, 1], sum: 4.25)
        #expect(
            String(decoding: metrics.text, as: UTF8.self) == """
                # HELP g G
                # TYPE g gauge
                g{x="1"} 1.5
                g{x="2"} -Inf
                # HELP h H
                # TYPE h gauge
                h NaN
                # HELP t_seconds T
                # TYPE t_seconds histogram
                t_seconds_bucket{r="GET /",le="0.1"} 2
                t_seconds_bucket{r="GET /",le="1.0"} 5
                t_seconds_bucket{r="GET /",le="+Inf"} 6
                t_seconds_sum{r="GET /"} 4.25
                t_seconds_count{r="GET /"} 6

                """)
    }
}
