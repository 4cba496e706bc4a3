#if Devtools
    /// A file of the page, which is part of the program.
    struct PageFile {
        let bytes: [UInt8]
        let type: String

        static func text(_ text: String) -> PageFile {
            PageFile(bytes: Array("\(text)\n".utf8), type: "text/plain; charset=utf-8")
        }

        static func named(_ name: String) -> PageFile? {
            guard let bytes = files[name] else { return nil }
            let type =
                switch name.split(separator: ".").last {
                case "html": "text/html; charset=utf-8"
                case "css": "text/css; charset=utf-8"
                case "js": "text/javascript; charset=utf-8"
                default: "application/octet-stream"
                }
            return PageFile(bytes: bytes, type: type)
        }

        private static let files: [String: [UInt8]] = [
            "activity-tabs.js": PackageResources.activity_tabs_js,
            "client-tab.js": PackageResources.client_tab_js,
            "dom.js": PackageResources.dom_js,
            "entries-tab.js": PackageResources.entries_tab_js,
            "entry-index.js": PackageResources.entry_index_js,
            "entry-items.js": PackageResources.entry_items_js,
            "entry-panel.js": PackageResources.entry_panel_js,
            "feed.js": PackageResources.feed_js,
            "index.html": PackageResources.index_html,
            "main.js": PackageResources.main_js,
            "model.js": PackageResources.model_js,
            "spans.js": PackageResources.spans_js,
            "style.css": PackageResources.style_css,
            "timeline-tab.js": PackageResources.timeline_tab_js,
            "values.js": PackageResources.values_js,
        ]
    }
#endif
