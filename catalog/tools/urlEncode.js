return encodeURIComponent(text);
