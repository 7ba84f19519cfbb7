"""Django: settings in code, a model in memory, a template, asked by its test client and through a real WSGI server."""

import os
import sys
import threading
import urllib.request
import wsgiref.simple_server

import django
from django.conf import settings

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import probe  # noqa: E402

PAGE = """{% load humanize %}<h1>{{ title|upper }}</h1>{% for entry in entries %}
<li class="{% cycle 'odd' 'even' %}">{{ entry.name }}: {{ entry.number|intcomma }}\
{% if entry.number > 50000 %}!{% endif %}
</li>{% empty %}none{% endfor %}"""

settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "file:entries?mode=memory&cache=shared"}},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.humanize"],
    ROOT_URLCONF=__name__,
    SECRET_KEY="of no worth",
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "OPTIONS": {"loaders": [("django.template.loaders.locmem.Loader", {"page.html": PAGE})]},
        }
    ],
    USE_THOUSAND_SEPARATOR=False,
)
django.setup()

from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.http import HttpResponse, JsonResponse  # noqa: E402
from django.shortcuts import render  # noqa: E402
from django.test import Client  # noqa: E402
from django.urls import path  # noqa: E402


class Entry(models.Model):
    name = models.CharField(max_length=40)
    number = models.IntegerField(db_index=True)
    shelf = models.ForeignKey("self", null=True, on_delete=models.CASCADE)

    class Meta:
        app_label = "website"


def page(request, least):
    return render(request, "page.html", {"title": "entries", "entries": Entry.objects.filter(number__gte=least)})


def totals(request):
    found = Entry.objects.aggregate(models.Sum("number"), models.Count("id"), models.Max("name"))
    return JsonResponse({**found, "sent": sum(map(len, request.POST.getlist("word")))})


def stream(request):
    return HttpResponse(f"{entry.pk},{entry.name}\n" for entry in Entry.objects.order_by("-pk").iterator())


urlpatterns = [path("page/<int:least>", page), path("totals", totals), path("stream", stream)]


class Quiet(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, *arguments):
        pass


def expected_page(least):
    lines = []
    for number in range(0, 100_000, 100):
        if number >= least:
            lines.append(f"entry {number}: {number:,}{'!' if number > 50_000 else ''}")
    return lines


def check_page(text, least):
    assert text.startswith("<h1>ENTRIES</h1>")
    found = [line.partition(">")[2].strip() for line in text.splitlines() if line.startswith("<li")]
    assert found == expected_page(least), found[:3]
    assert text.count('"odd"') - text.count('"even"') == len(found) % 2


def check_client():
    client = Client()
    for least in (0, 30_000, 99_900):
        response = client.get(f"/page/{least}")
        assert response.status_code == 200
        check_page(response.content.decode(), least)
    assert "none" in client.get("/page/100000").content.decode()
    words = [str(number) * 100 for number in range(300)]
    found = client.post("/totals", {"word": words}).json()
    assert found["sent"] == sum(map(len, words)) and found["id__count"] == 1_000
    assert found["number__sum"] == sum(range(0, 100_000, 100))
    assert client.get("/nowhere").status_code == 404


def check_server():
    server = wsgiref.simple_server.make_server("127.0.0.1", 0, get_wsgi_application(), handler_class=Quiet)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"
    for least in (0, 70_000, 20_000) * 3:
        with urllib.request.urlopen(f"{address}/page/{least}") as answer:
            check_page(answer.read().decode(), least)
    with urllib.request.urlopen(f"{address}/stream") as answer:
        lines = answer.read().decode().splitlines()
    assert len(lines) == 1_000 and lines[-1] == "1,entry 0"
    server.shutdown()
    thread.join()
    server.server_close()


assert probe.is_as_asked()
with connection.schema_editor() as editor:
    editor.create_model(Entry)
Entry.objects.bulk_create(Entry(name=f"entry {number}", number=number) for number in range(0, 100_000, 100))
first = Entry.objects.get(number=0)
assert Entry.objects.filter(number__lt=1_000).exclude(pk=first.pk).update(shelf=first) == 9
shelved = Entry.objects.select_related("shelf").filter(shelf__isnull=False)
assert [entry.shelf.name for entry in shelved] == ["entry 0"] * 9
check_client()
check_server()
assert Entry.objects.filter(shelf=first).delete()[0] == 9 and first.delete()[0] == 1
assert Entry.objects.count() == 990
print("right")
