"""The package's data files: found beside the code or at the top of a checkout, read byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nvcre_render import package_data


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lay out a checkout: the package folder, and beside it the folder of fragments."""
    (tmp_path / "nvcre_render").mkdir()
    (tmp_path / "fragments" / "_lib").mkdir(parents=True)
    monkeypatch.setattr(package_data, "_HERE", str(tmp_path / "nvcre_render"))
    return tmp_path


@pytest.mark.parametrize("name", ["fragments", "schemas"])
def test_the_data_of_this_package_is_found_from_anywhere(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Path(package_data.directory(name))
    assert folder.is_absolute()
    assert folder.name == name
    assert list(folder.iterdir()) != []


def test_a_schema_of_this_package_can_be_read() -> None:
    schema = json.loads(package_data.read_text("schemas", "workloadrun.v1alpha1.json"))
    assert "spec" in schema["properties"]


def test_a_checkout_keeps_its_data_at_the_top(house: Path) -> None:
    assert package_data.directory("fragments") == str(house / "fragments")


def test_an_installed_package_has_its_data_inside(house: Path) -> None:
    (house / "nvcre_render" / "fragments").mkdir()
    assert package_data.directory("fragments") == str(house / "nvcre_render" / "fragments")
    assert package_data.directory("schemas") == str(house / "schemas")


def test_a_file_of_that_name_is_no_data_folder(house: Path) -> None:
    (house / "nvcre_render" / "fragments").write_text("")
    assert package_data.directory("fragments") == str(house / "fragments")


def test_text_is_read_as_utf_8_with_its_line_ends(house: Path) -> None:
    (house / "fragments" / "_lib" / "a.sh").write_bytes("é\r\n😀\n\ufeffx\r".encode())
    assert package_data.read_text("fragments", "_lib", "a.sh") == "é\r\n😀\n\ufeffx\r"


def test_an_absent_file_is_an_error(house: Path) -> None:
    with pytest.raises(FileNotFoundError, match="absent"):
        package_data.read_text("fragments", "absent.yaml")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        package_data.read_text("nowhere", "a.yaml")
